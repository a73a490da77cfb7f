/** Checks a request against the schemas of its operation, and reads its texts as the types that they name. */
import { pointer } from '#component/codec/json.ts'
import { ServiceError } from '#component/errors.ts'
import type { TextReader, TextRules } from '#component/schema/coerce.ts'
import { type Mistake, told } from '#component/schema/mistakes.ts'
import type { Found } from '#component/schema/validators.ts'
import type {
  MismatchMode,
  MismatchSink,
  NamedOperation,
  NamedRequest,
  RequestPart,
} from './mismatches.ts'
import type { ValueCheck } from './value-check.ts'

/** How the texts of a part are read. Only forms and queries repeat a name; only of a query a default takes the place of what is absent. */
const textRules: Readonly<Record<RequestPart, TextRules>> = {
  bindings: { lists: false, defaults: false },
  query_params: { lists: true, defaults: true },
  headers: { lists: false, defaults: false },
  body: { lists: true, defaults: false },
}

/** The schema of one part. */
export class PartCheck {
  readonly part: RequestPart
  readonly check: ValueCheck
  #read: { readonly reader: TextReader | undefined } | undefined
  #judgesName: ((name: string) => boolean) | undefined

  constructor(part: RequestPart, check: ValueCheck) {
    this.part = part
    this.check = check
  }

  /** Reads the texts of the part; undefined where all of them stay texts. */
  get read(): TextReader | undefined {
    this.#read ??= { reader: this.check.readerBy(textRules[this.part]) }
    return this.#read.reader
  }

  /** Whether the schema judges the value of a name. */
  readonly judgesName = (name: string): boolean => {
    this.#judgesName ??= this.check.judgedNames()
    return this.#judgesName(name)
  }
}

/** What checking needs of a part. */
type PartSchema = Pick<PartCheck, 'part' | 'check' | 'read' | 'judgesName'>

/** The checks of an operation; one object for operations with equal ones. */
export interface RequestChecks {
  readonly mode: MismatchMode
  /** In the order of {@link requestParts}. */
  readonly parts: readonly PartSchema[]
  /** Whether a request without a body does not fit; only where the body has a schema. */
  readonly isBodyRequired: boolean
  readonly sink: MismatchSink
}

type Texts = Readonly<Record<string, string>>
type Lists = Readonly<Record<string, readonly string[]>>
type Members = Readonly<Record<string, unknown>>

/** The request as it came. */
interface Received extends NamedRequest {
  readonly headers: Texts
  readonly query_params: Texts
  readonly query_lists: Lists
  readonly query_string: string
}

/** Its body; `lists` only where it is a form. */
interface ReceivedBody {
  readonly body: unknown
  readonly body_length: number
  readonly lists?: () => Lists
}

/** The parts as they are checked; without a reader they are as they came. */
type Values = Record<RequestPart, unknown>

const missingBody: Mistake = { path: '/body', message: 'is required', keyword: 'body_required' }

function valueIn(
  { part, read }: PartSchema,
  received: Received,
  bindings: Texts,
  { body, lists }: ReceivedBody,
): unknown {
  switch (part) {
    case 'bindings':
      return read ? read(bindings) : bindings
    case 'query_params': {
      const texts = received.query_params
      return read ? read(texts, () => received.query_lists) : texts
    }
    case 'headers':
      return read ? read(received.headers) : received.headers
    case 'body':
      return read && lists ? read(body as Texts, lists) : body
  }
}

/** A part as it came, for a listener. */
const receivedIn = (
  part: RequestPart,
  { query_params, headers }: Received,
  bindings: Texts,
  { body }: ReceivedBody,
): unknown => ({ bindings, query_params, headers, body })[part]

/** Whether a query has more parameters than names: some name repeats, unless a parameter is empty. */
function mayRepeat({ query_string, query_params }: Received): boolean {
  let count = Object.keys(query_params).length
  for (let at = query_string.indexOf('&'); at >= 0; at = query_string.indexOf('&', at + 1)) count--
  return count < 1
}

/** The names that have several values, of which a part takes one: the last is judged, but all are sent. */
function repeatedIn(
  { part, judgesName }: PartSchema,
  value: unknown,
  received: Received,
  { lists: listsOf }: ReceivedBody,
): Mistake[] {
  const isQuery = part === 'query_params' && mayRepeat(received)
  const lists = isQuery ? received.query_lists : part === 'body' ? listsOf?.() : undefined
  if (lists === undefined) return []
  const isRepeated = (name: string): boolean =>
    (lists[name]?.length ?? 0) > 1 && !Array.isArray((value as Members)[name]) && judgesName(name)
  return Object.keys(lists)
    .filter(isRepeated)
    .map((name) => ({
      ...{ path: pointer('', part, name), keyword: 'repeated' },
      message: 'repeated: it takes one value',
    }))
}

/** 400 with all mistakes; no part of it shows a value of the request. */
function refusal(mistakes: readonly Mistake[]): ServiceError {
  const [first] = mistakes
  const count =
    mistakes.length === 1 ? '1 mistake, at' : `${mistakes.length} mistakes, the first at`
  const message = `${count} ${first?.path}: ${first?.message}`
  return new ServiceError('service.error.validation_failed', message, { details: told(mistakes) })
}

/** The parts as expressions see them: with values that were read from texts, and with defaults. */
export interface CheckedValues {
  readonly bindings: Readonly<Record<string, unknown>>
  /** undefined: as they came. */
  readonly query_params: Readonly<Record<string, unknown>> | undefined
  readonly body: unknown
}

/**
 * Checks a request; undefined under `log`, where expressions see it as it came. What takes long goes on in later turns of the event loop.
 * @throws ServiceError `service.error.validation_failed`
 */
export function checkRequest(
  checks: RequestChecks,
  received: Received,
  operation: NamedOperation,
  bindings: Texts,
  content: ReceivedBody,
): CheckedValues | undefined | Promise<CheckedValues | undefined> {
  const { mode, parts, isBodyRequired } = checks
  const values: Values = { bindings, query_params: undefined, headers: undefined, body: '' }
  values.body = content.body
  const request = { received, operation, bindings, content, values }
  let isLater = false
  const found = parts.map((part) => {
    const name = part.part
    if (name === 'body' && content.body_length === 0)
      return isBodyRequired ? [missingBody] : undefined
    values[name] = valueIn(part, received, bindings, content)
    const mistakes = part.check.mistakesOf(values[name], `/${name}`, mode)
    isLater ||= mistakes instanceof Promise
    return mistakes
  })
  return isLater
    ? Promise.all(found).then((each) => judged(checks, request, each))
    : judged(checks, request, found as readonly Found[])
}

/** A request that was checked. */
interface Judged {
  readonly received: Received
  readonly operation: NamedOperation
  readonly bindings: Texts
  readonly content: ReceivedBody
  readonly values: Values
}

/** @param found of each part */
function judged(
  { mode, parts, sink }: RequestChecks,
  { received, operation, bindings, content, values }: Judged,
  found: readonly Found[],
): CheckedValues | undefined {
  const all: Mistake[] = []
  for (const [index, part] of parts.entries()) {
    const name = part.part
    let mistakes = found[index]
    if (name !== 'body' || content.body_length > 0) {
      const repeated = repeatedIn(part, values[name], received, content)
      if (repeated.length > 0) mistakes = [...(mistakes ?? []), ...repeated]
    }
    received.listener?.judged({
      ...{ part: name, mode, value: values[name], mistakes },
      received: receivedIn(name, received, bindings, content),
    })
    if (mistakes === undefined) continue
    sink.note(received, operation, name, mode, mistakes, part.check)
    all.push(...mistakes)
  }
  if (mode === 'log') return undefined
  if (all.length > 0) throw refusal(all)
  return values as CheckedValues
}
