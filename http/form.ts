/** Forms and queries: `application/x-www-form-urlencoded` text to a map. */
import { ServiceError } from '#component/errors.ts'
import { percentDecode } from '#component/syntax/request-target.ts'

const maxFields = 1000

/** The rules for one kind of text. */
interface FormRules {
  /** The value of a key without `=`. */
  readonly bare: string
  /** The name of the text in errors. */
  readonly what: string
  /** Whether a repeated key is refused. */
  readonly isUnique?: boolean
}

const decode = (text: string, what: string): string => {
  if (!text.includes('%') && !text.includes('+')) return text
  const decoded = percentDecode(text.replaceAll('+', ' '))
  if (decoded === undefined) {
    throw new ServiceError('service.error.bad_request', `the ${what} holds a bad escape`)
  }
  return decoded
}

/** Takes each field of a text, decoded, in order. */
function readFields(
  text: string,
  { bare, what }: FormRules,
  take: (key: string, value: string) => void,
): void {
  if (text === '') return
  let count = 0
  for (let start = 0; start <= text.length; ) {
    const ampersand = text.indexOf('&', start)
    const end = ampersand < 0 ? text.length : ampersand
    if (end > start) {
      if (++count > maxFields) {
        const message = `the ${what} has more than ${maxFields} fields`
        throw new ServiceError('service.error.payload_too_large', message)
      }
      const equals = text.indexOf('=', start)
      const isBare = equals < 0 || equals > end
      const key = decode(text.slice(start, isBare ? end : equals), what)
      take(key, isBare ? bare : decode(text.slice(equals + 1, end), what))
    }
    start = end + 1
  }
}

/** The last value of each key; without prototype, because a field may be called `__proto__`. */
function parseFields(text: string, rules: FormRules): Record<string, string> {
  const fields: Record<string, string> = Object.create(null)
  readFields(text, rules, (key, value) => {
    if (rules.isUnique && key in fields) {
      const message = `the ${rules.what} has a field more than once`
      throw new ServiceError('service.error.bad_request', message)
    }
    fields[key] = value
  })
  return fields
}

const queryRules: FormRules = { bare: 'true', what: 'query' }

/** The parameters of a query; a key without `=` is `"true"` (behaviour: Requests). */
export const parseQuery = (text: string): Readonly<Record<string, string>> =>
  parseFields(text, queryRules)

/** All values of each key, in order; without prototype. */
function parseLists(text: string, rules: FormRules): Readonly<Record<string, readonly string[]>> {
  const lists: Record<string, string[]> = Object.create(null)
  readFields(text, rules, (key, value) => {
    const list = lists[key]
    if (list) list.push(value)
    else lists[key] = [value]
  })
  return lists
}

/** The parameters of a query, each with all its values in order. */
export const parseQueryLists = (text: string): Readonly<Record<string, readonly string[]>> =>
  parseLists(text, queryRules)

const formRules: FormRules = { bare: '', what: 'form' }

/** The fields of a form body, each with all its values in order. */
export const parseFormLists = (text: string): Readonly<Record<string, readonly string[]>> =>
  parseLists(text, formRules)

/** The fields of a form body; a key without `=` is `""`. ServiceError 400 or 413. */
export function parseForm(text: string): Record<string, string> {
  const fields = parseFields(text, formRules)
  if ('__proto__' in fields) {
    throw new ServiceError('service.error.bad_request', 'the form has the field __proto__')
  }
  return { ...fields }
}

/** The fields of a form that repeats no field; without prototype. ServiceError 400 or 413. */
export const parseStrictForm = (text: string): Readonly<Record<string, string>> =>
  parseFields(text, { ...formRules, isUnique: true })
