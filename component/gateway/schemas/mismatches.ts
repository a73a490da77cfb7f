/** Counts the requests and answers that do not fit their schemas, and logs those that `log` lets pass. */
import type { Clock } from '#component/clock.ts'
import { keysOfPointer, pointer } from '#component/codec/json.ts'
import { ServiceError } from '#component/errors.ts'
import { LogThrottle } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import { Family, type SeriesStock } from '#component/metrics/family.ts'
import type { ServedPath } from '#component/metrics/place.ts'
import type { Mistake } from '#component/schema/mistakes.ts'
import type { RequestTrace } from '#component/telemetry/telemetry.ts'

/** How the check of a part ends that does not fit. */
export type MismatchMode = 'enforce' | 'log'

/** The parts of a request that may have a schema, in the order in which they are checked. */
export const requestParts = ['bindings', 'query_params', 'headers', 'body'] as const
export type RequestPart = (typeof requestParts)[number]

/** What a schema is for. */
type CheckedPart = RequestPart | 'response' | 'args' | 'kwargs'

/** A value that was checked against its schema. */
export interface JudgedPart {
  readonly part: CheckedPart
  readonly mode: MismatchMode
  /** As its schema judges it: texts are read as the types that it names. */
  readonly value: unknown
  /** As it came; of an answer the same. */
  readonly received: unknown
  /** undefined: it fits. */
  readonly mistakes: readonly Mistake[] | undefined
}

/** Hears of each value of one request that is checked. */
export interface PartListener {
  judged(part: JudgedPart): void
}

/** The request, as far as the log names it. */
export interface NamedRequest {
  readonly id: string
  readonly method: string
  /** undefined for nearly all requests. */
  readonly listener?: PartListener | undefined
  readonly trace?: RequestTrace | undefined
}

/** The operation that serves it, and its place in the document. */
export interface NamedOperation {
  /** JSON Pointer. */
  readonly at: string
  readonly path: ServedPath
}

/** One place that does not fit, for the log. */
interface LoggedMistake {
  /** JSON Pointer into the Request, or into the body of the answer. */
  readonly pointer: string
  /** The keyword of the schema that it does not fit. */
  readonly keyword: string
}

/** Most mistakes of one line of the log. */
const maxLogged = 10
/** Most characters of a pointer in the log. */
const maxPointer = 200

/** A position in a list; a longer number may be a name. */
const isIndex = (key: string): boolean => /^\d{1,6}$/.test(key)

/** What stands in the log for a name that the document does not write. */
const hidden = '*'

/** A schema that was not met, as far as the log needs it. */
interface Unmet {
  /** The names of properties that its document writes. */
  readonly names: ReadonlySet<string>
}

/** The first mistakes without a word of what was sent. @param part whose name begins the pointers; `response`: none does */
function loggedMistakes(
  mistakes: readonly Mistake[],
  part: CheckedPart,
  { names }: Unmet,
): readonly LoggedMistake[] {
  return mistakes.slice(0, maxLogged).map(({ path, keyword }) => {
    const start = part === 'response' ? '' : pointer('', part)
    const keys = keysOfPointer(path.slice(start.length)).map((key) =>
      names.has(key) || isIndex(key) ? key : hidden,
    )
    return { pointer: pointer(start, ...keys).slice(0, maxPointer), keyword }
  })
}

/** An answer does not fit its schema: clients learn no more than that, the log tells where. */
export class ResponseMismatch extends ServiceError {
  readonly mistakes: readonly LoggedMistake[]
  /** JSON Pointer of the schema in the document. */
  readonly at: string

  constructor(mistakes: readonly Mistake[], at: string, unmet: Unmet) {
    super('service.error.response_mismatch', 'the response does not fit its schema')
    this.mistakes = loggedMistakes(mistakes, 'response', unmet)
    this.at = at
  }
}

/** Receives each request and answer that does not fit its schema. */
export interface MismatchSink {
  note(
    request: NamedRequest,
    operation: NamedOperation,
    part: CheckedPart,
    mode: MismatchMode,
    mistakes: readonly Mistake[],
    unmet: Unmet,
  ): void
  /** A schema that was accepted at load does not compile: a bug of the gateway. */
  compileFailed(error: unknown): void
}

/** Ten lines a second of one route and part; the others are counted. */
const linesOfCause = { lines: 10, intervalMs: 1_000, senders: 1_000 }

/** The mismatches of a process since its start. */
export class Mismatches implements MismatchSink {
  readonly #log: Pick<Log, 'warn' | 'error'>
  readonly #throttle: LogThrottle
  readonly #counts: Family

  constructor(
    clock: Pick<Clock, 'now' | 'after'>,
    log: Pick<Log, 'warn' | 'error'>,
    families: SeriesStock,
  ) {
    this.#log = log
    this.#counts = new Family(
      {
        name: 'gateway_schema_mismatches_total',
        help: 'Parts of requests, and responses, that do not fit their schema, by route pattern, part and mode.',
        subject: 'route',
        labels: ['part', 'mode'],
      },
      families,
    )
    this.#throttle = new LogThrottle(clock, {
      ...linesOfCause,
      onLeftOut: (cause, lines) => log.warn({ cause, lines }, 'lines left out'),
    })
  }

  note(
    { id, method, trace }: NamedRequest,
    { at, path }: NamedOperation,
    part: CheckedPart,
    mode: MismatchMode,
    mistakes: readonly Mistake[],
    unmet: Unmet,
  ): void {
    const { pattern: route, version: served } = path
    this.#counts.at(served, route, part, mode).add()
    if (mode !== 'log' || !this.#throttle.admits(`${method} ${route} ${part}`)) return
    const { api: api_spec, label: version } = served
    this.#log.warn(
      {
        request_id: id,
        ...(trace && { trace_id: trace.context.traceId }),
        ...{ method, route, api_spec, version, pointer: at, part },
        mistakes: loggedMistakes(mistakes, part, unmet),
      },
      part === 'response'
        ? 'a response does not fit its schema'
        : 'a request does not fit its schema',
    )
  }

  compileFailed(err: unknown): void {
    if (!this.#throttle.admits('compile')) return
    this.#log.error({ err }, 'a schema that was accepted does not compile: a bug in the gateway')
  }
}

/** Counts and logs nothing: for documents that serve nobody. */
export const noMismatches: MismatchSink = {
  note: () => undefined,
  compileFailed: () => undefined,
}
