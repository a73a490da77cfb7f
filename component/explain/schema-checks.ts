/** Schema checks of an operation that tell how a request and its answer fit, and what was read of texts. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import type { MismatchMode, MismatchSink } from '#component/gateway/schemas/mismatches.ts'
import type { PartSchema, RequestChecks } from '#component/gateway/schemas/request-checks.ts'
import type { ResponseCheck } from '#component/gateway/schemas/response-check.ts'

/** How values fit their schemas. */
export interface SchemaFit {
  readonly step: 'schema' | 'response_schema'
  /** Whether the request goes on, or the answer leaves. */
  passed: boolean
  readonly mode: MismatchMode
  /** Of a request: the values that were read from texts, by JSON Pointer. */
  readonly read?: Readonly<Record<string, unknown>>
  /** Present where something does not fit. */
  mistakes?: readonly Issue[]
}

/** @param isReal whether mismatches are counted and logged as ever */
function sinkOf(fit: SchemaFit, sink: MismatchSink, isReal: boolean): MismatchSink {
  return {
    note(request, operation, part, mode, mistakes, unmet) {
      if (mode === 'enforce') fit.passed = false
      const told = mistakes.map(({ path, message }) => ({ path, message }))
      fit.mistakes = [...(fit.mistakes ?? []), ...told]
      if (isReal) sink.note(request, operation, part, mode, mistakes, unmet)
    },
    compileFailed: (error) => sink.compileFailed(error),
  }
}

/** @param onBegin is given the fit when the request is checked; it is complete when the check has ended */
export function watchRequest(
  { mode, parts, isBodyRequired, sink }: RequestChecks,
  onBegin: (fit: SchemaFit) => void,
  isReal: boolean,
): RequestChecks {
  const read: Record<string, unknown> = {}
  const fit: SchemaFit = { step: 'schema', passed: true, mode, read }
  const watched = parts.map((schema): PartSchema => {
    const { part, check, judgesName } = schema
    return {
      ...{ part, check, judgesName },
      get read(): PartSchema['read'] {
        const reader = schema.read
        if (reader === undefined) return undefined
        return (texts, lists) => {
          const values = reader(texts, lists)
          for (const [name, value] of Object.entries(values)) {
            if (value !== texts[name]) read[pointer('', part, name)] = value
          }
          return values
        }
      },
    }
  })
  return {
    ...{ mode, isBodyRequired, sink: sinkOf(fit, sink, isReal) },
    get parts() {
      onBegin(fit)
      return watched
    },
  }
}

/** @param onBegin is given the fit when the answer is checked; it is complete when the check has ended */
export function watchAnswer(
  { at, mode, check, sink }: ResponseCheck,
  onBegin: (fit: SchemaFit) => void,
  isReal: boolean,
): ResponseCheck {
  const fit: SchemaFit = { step: 'response_schema', passed: true, mode }
  return {
    ...{ at, mode, sink: sinkOf(fit, sink, isReal) },
    get check() {
      onBegin(fit)
      return check
    },
  }
}
