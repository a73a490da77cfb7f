/** What does not fit a schema, in words for clients: pointers and what is allowed, never a value. */
import type { ErrorObject } from 'ajv'
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { countedPart, exactlyOne, isTold, numberType } from './own-keywords.ts'

/** One place of a value that does not fit its schema. */
export interface Mistake extends Issue {
  /** The keyword of the schema that it does not fit; for logs. */
  readonly keyword: string
}

/** At most this many mistakes are told, of all parts of a request together. */
const mostTold = 100

/** The mistakes that an answer tells: 100, and how many more there are. */
export function told(mistakes: readonly Mistake[]): readonly Issue[] {
  const first = mistakes.slice(0, mostTold).map(({ path, message }): Issue => ({ path, message }))
  const more = mistakes.length - first.length
  if (more > 0) first.push({ path: '', message: `and ${more} more` })
  return first
}

/** There may be mistakes beside those that are told. */
export const more = (at: string): Mistake => ({ path: at, message: 'more may follow', keyword: '' })

type Params = Readonly<Record<string, unknown>>

/** The name of the member that an error of ajv is about, where it is not the value at its path. */
const memberIn: Readonly<Record<string, (params: Params) => unknown>> = {
  required: (params) => params.missingProperty,
  dependentRequired: (params) => params.missingProperty,
  additionalProperties: (params) => params.additionalProperty,
  unevaluatedProperties: (params) => params.unevaluatedProperty,
}

const messages: Readonly<Record<string, string>> = {
  required: 'is required',
  dependentRequired: 'is required',
  additionalProperties: 'unknown property',
  unevaluatedProperties: 'unknown property',
  'false schema': 'is not allowed',
}

/** Errors that only say that there are others, which are told. */
const silent = new Set(['if', 'propertyNames', countedPart])

/** What documents call a keyword of ours. */
const written: Readonly<Record<string, string>> = { [numberType]: 'type', [exactlyOne]: 'oneOf' }

/** Errors of ajv that are looked at. */
const mostErrors = 5_000

/** The mistakes that errors of ajv stand for; each place and message once. */
export function mistakesOf(errors: readonly ErrorObject[], at: string): Mistake[] {
  const found = new Map<string, Mistake>()
  for (const error of errors.slice(0, mostErrors)) {
    if (!isTold(error)) continue
    const { instancePath } = error
    const keyword = written[error.keyword] ?? error.keyword
    if (silent.has(keyword)) continue
    const params = error.params as Params
    const name = error.propertyName ?? memberIn[keyword]?.(params)
    const path = at + (name === undefined ? instancePath : pointer(instancePath, String(name)))
    const plain = messages[keyword] ?? error.message ?? 'does not fit'
    const message = error.propertyName === undefined ? plain : `the name ${plain}`
    const key = `${path} ${message}`
    if (!found.has(key)) found.set(key, { path, message, keyword })
  }
  const mistakes = [...found.values()]
  if (errors.length > mostErrors) mistakes.push(more(at))
  return mistakes
}
