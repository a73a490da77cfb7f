/** `wamp_call`: one answer, or its progressive results as they come. */

import type { Action, ActionFields, Outcome, Run } from '#component/action/action.ts'
import { hopsName, hopsOf } from '#component/action/hops.ts'
import { callOptions, passOptions } from '#component/action/options.ts'
import {
  attemptOnSession,
  type WampPorts,
  withTraceContext,
} from '#component/action/wamp-attempt.ts'
import { disclosed, readPayload, readUri, withAliases } from '#component/action/wamp-fields.ts'
import { ServiceError } from '#component/errors.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import type { CallResult, Session } from '#component/wamp/session.ts'
import { CallPieces } from './call-pieces.ts'
import { sendBody, TakenPieces } from './stream-body.ts'

/** Calls a procedure. Its result is `{request_id, details, args, kwargs}` (behaviour §4). */
export const wampCallAction = (ports: WampPorts): Action => ({
  perform(fields, run) {
    try {
      const call = callOf(fields, run, ports)
      const { openBody, wantsProgress } = run
      if (openBody) return callWithBody(call, openBody)
      return wantsProgress ? callInPieces(call) : callOnce(call)
    } catch (error) {
      return Promise.reject(error)
    }
  },
})

/** One call, before its attempts. */
interface Call {
  readonly ports: WampPorts
  readonly fields: ActionFields
  readonly run: Run
  readonly procedure: string
  readonly message: Parameters<typeof withTraceContext>[0]
}

function callOf(fields: ActionFields, run: Run, ports: WampPorts): Call {
  const procedure = readUri(fields, 'procedure', run, ports.allowedDynamicUris)
  const passed = withoutProgress(passOptions(fields.options, callOptions))
  const message = { options: disclosed(passed, run), payload: readPayload(fields) }
  return { ports, fields, run, procedure, message }
}

const messageOver = ({ message, run }: Call, session: Session, context: TraceContext | undefined) =>
  withTraceContext(withHop(message, session, run), session, run, context)

const callOnce = (of: Call): Promise<Outcome> =>
  attemptOnSession(
    of.ports,
    of.run,
    (session, timeoutMs, cancellation, context, notify) => {
      const { procedure } = of
      const { payload, options } = messageOver(of, session, context)
      notify?.({ procedure, ...payload, options })
      const call = session.call(procedure, payload, options, timeoutMs)
      cancellation.current = call
      return call.result
    },
    resultOf,
    of.procedure,
  )

/** The body follows the arguments; what was begun is not tried again. */
async function callWithBody(of: Call, open: NonNullable<Run['openBody']>): Promise<Outcome> {
  const { ports, fields, run, procedure } = of
  let refusal: unknown
  const once: Run = { ...run, attempts: { ...run.attempts, retries: 0 } }
  const outcome = await attemptOnSession(
    ports,
    once,
    (session, timeoutMs, cancellation, context, notify) => {
      const { payload, options } = messageOver(of, session, context)
      const asked = { ...options, progress: true }
      notify?.({ procedure, ...payload, options: asked })
      const taken = new TakenPieces()
      const onTaken = fields.flow === 'results' ? taken.add : undefined
      const call = session.call(procedure, payload, asked, timeoutMs, onTaken, Infinity)
      cancellation.current = call
      return sendBody(call, open, taken, sizesOf(fields)).catch((error: unknown) => {
        if (error instanceof ServiceError) refusal = error
        throw error
      })
    },
    resultOf,
    procedure,
  )
  // the failure of the body is that of the request, not of the action
  if (refusal !== undefined) throw refusal
  return outcome
}

/** Calls with progressive results. Resolves with the first one, or with the final result where none comes before it. */
function callInPieces(of: Call): Promise<Outcome> {
  const { ports, fields, run, procedure } = of
  const bounds = boundsOf(fields, run)
  const end = ports.clock.now() + bounds.all
  return attemptOnSession(
    ports,
    run,
    (session, timeoutMs, cancellation, context, notify) => {
      const firstMs = Math.min(timeoutMs, end - ports.clock.now())
      const { payload, options } = messageOver(of, session, context)
      // the session adds the option
      notify?.({ procedure, ...payload, options: { ...options, receive_progress: true } })
      const pieces = new CallPieces({ run, clock: ports.clock, end }, (onPiece) =>
        session.call(procedure, payload, options, firstMs, onPiece, bounds.between),
      )
      cancellation.current = pieces.call
      return pieces.begun
    },
    (begun) => (begun instanceof CallPieces ? { result: {}, stream: begun } : resultOf(begun)),
    procedure,
  )
}

/** The message of a procedure that calls another one: it counts as one more, where the router passes the count on. */
function withHop<T extends { readonly options: object }>(
  message: T,
  { passesTraceContext }: Session,
  { invocation }: Run,
): T {
  if (invocation === undefined || !passesTraceContext) return message
  return { ...message, options: { ...message.options, [hopsName]: hopsOf(invocation.details) + 1 } }
}

/** The session asks for progressive results where somebody takes them, whatever the document says. */
function withoutProgress(options: Readonly<Record<string, unknown>>): typeof options {
  if (!('receive_progress' in options)) return options
  const { receive_progress: _, ...others } = options
  return others
}

const resultOf = (answer: CallResult): Outcome => ({ result: withAliases(answer) })

/** How a body is sent in pieces. */
const sizesOf = ({ chunk_bytes, flow, window }: ActionFields) => ({
  chunkBytes: Number(chunk_bytes ?? 65_536),
  window: flow === 'results' ? Number(window ?? 8) : Infinity,
})

/** The limits on a call with progressive results: between two of them, and of all; milliseconds. */
const boundsOf = ({ progress_timeout, max_duration }: ActionFields, { attempts }: Run) => ({
  between: Number(progress_timeout ?? attempts.timeout),
  // 0: no limit
  all: Number(max_duration ?? 3_600_000) || Number.POSITIVE_INFINITY,
})
