/** The HTTP face of the management procedures: `POST /services/<name>` and the REST mirrors, derived from their table. */

import Router from '@koa/router'
import type { Middleware } from 'koa'
import type { Clock } from '#component/clock.ts'
import { asBuffer } from '#component/codec/as-buffer.ts'
import { parsingJson, stringifyJson } from '#component/codec/json.ts'
import { documentRules, maxDocumentBytes } from '#component/codec/limits.ts'
import { ServiceError } from '#component/errors.ts'
import { ownPath } from '#component/metrics/place.ts'
import { runSteps, type YieldTurn } from '#component/yielding.ts'
import { exchangeOf } from '#http/read-request.ts'
import { argumentsOfBody } from '#procedures/definition/arguments.ts'
import type { Answer, Management, Mirror, Procedure } from '#procedures/definition/procedure.ts'
import { accessRefusal, perform, servicePath } from '#procedures/definition/procedure.ts'
import { type Admission, admit, admitReader, checkJson } from './access.ts'
import type { HealthPorts } from './admin.ts'
import { isKnown, readConditions } from './conditional.ts'

/** How long a document may take to arrive; milliseconds. */
const bodyTime = 15_000

let readBody: Middleware | undefined

/**
 * Reads the body with koa-body, and leaves the parsing to our own parser: koa-body's rounds integers and replaces invalid UTF-8.
 * It is imported with the first body, so that its many modules do not delay the start.
 */
const readBytes: Middleware = async (context, next) => {
  const { koaBody } = await import('koa-body')
  readBody ??= koaBody({
    json: false,
    urlencoded: false,
    multipart: false,
    text: true,
    textTypes: ['application/json'],
    textLimit: maxDocumentBytes,
    // no encoding: the body stays a Buffer
    encoding: '',
    patchNode: false,
    onError(error) {
      throw bodyError(error)
    },
  })
  await readBody(context, next)
}

type Context = Parameters<Middleware>[0]

/** Reads the body into `ctx.request.body`, within the limits of size and time. */
const readInTime =
  (clock: Clock) =>
  async (ctx: Context): Promise<void> => {
    const exchange = exchangeOf(ctx.req)
    if ((exchange.body.length ?? 0) > maxDocumentBytes) throw tooLarge()
    exchange.proceed()
    let stopTimer: () => void = () => undefined
    const late = new Promise<never>((_, reject) => {
      const message = 'the document did not arrive in time'
      stopTimer = clock.after(bodyTime, () =>
        reject(new ServiceError('service.error.request_timeout', message)),
      )
    })
    try {
      await Promise.race([readBytes(ctx, async () => undefined), late])
    } finally {
      stopTimer()
    }
  }

const tooLarge = (cause?: unknown) =>
  new ServiceError(
    'service.error.payload_too_large',
    `the document is larger than ${maxDocumentBytes} bytes`,
    { cause },
  )

function bodyError(cause: Error): ServiceError {
  const status = 'status' in cause ? cause.status : undefined
  if (status === 413) return tooLarge(cause)
  if (status === 415) {
    const message = 'the content coding is not supported'
    return new ServiceError('service.error.unsupported_media_type', message, { cause })
  }
  return new ServiceError('service.error.bad_request', 'the body cannot be read', { cause })
}

/** Dependencies of management over HTTP. */
export interface ManagementPorts extends Admission {
  readonly clock: Clock
  readonly procedures: readonly Procedure[]
  readonly management: Management
  /** Yields to other requests while a large document is read. */
  readonly yieldTurn: YieldTurn
  /** Whether the node is draining and begins no more loads. */
  isClosing(): boolean
}

/** The routes of management. */
export function managementRouter(ports: ManagementPorts): Router {
  const router = new Router({ sensitive: true, strict: true })
  for (const procedure of ports.procedures) {
    const path = servicePath(procedure)
    router.post(path, serve(ports, procedure, { method: 'POST', path }))
    for (const mirror of procedure.mirrors) {
      router.register(mirror.path, [mirror.method], serve(ports, procedure, mirror))
    }
  }
  return router
}

/**
 * Whose metrics the client of a request sees: management with all rights those of everything, a reader of one realm those of its
 * documents. Throws as {@link admitReader}.
 */
export const metricsFor =
  (ports: ManagementPorts): NonNullable<HealthPorts['metricsFor']> =>
  async (exchange) => {
    const { within } = await admitReader(exchange, ports)
    if (within === undefined) return undefined
    const own = new Set(ports.management.registry.list(within).map(({ id }) => id))
    return (api) => own.has(api)
  }

/** Refuses unauthorized callers before their body is read; log and metrics name the requested route. */
function serve(ports: ManagementPorts, procedure: Procedure, mirror: Mirror): Middleware {
  const read = readInTime(ports.clock)
  const served = ownPath(mirror.path)
  return async (ctx) => {
    const exchange = exchangeOf(ctx.req)
    exchange.served = served
    const caller = await admit(exchange, ports)
    const refusal = accessRefusal(procedure, caller)
    if (refusal) throw refusal
    const hasBody = mirror.method === 'POST' || mirror.method === 'PUT'
    if (hasBody) {
      checkJson(exchange.headers)
      await read(ctx)
    }
    if (procedure.access !== 'read' && ports.isClosing()) {
      throw new ServiceError('service.error.unavailable', 'this node is stopping', {
        headers: { 'retry-after': '1' },
      })
    }
    const document = hasBody ? await readDocument(procedure, ctx.request.body, ports) : undefined
    const named = { ...inQuery(procedure, exchange.query_params), ...ctx.params }
    const args = hasBody
      ? argumentsOfBody(procedure, document, named, mirror.body)
      : procedure.parameters.map(({ name }) => named[name])
    const conditions = readConditions(exchange.headers)
    const answer = await perform(procedure, ports.management, args, { ...caller, conditions })
    await render(ctx, answer, mirror)
    if (ctx.method === 'GET' && isKnown(answer.headers?.etag, conditions)) ctx.status = 304
  }
}

/** The parameters that the query has. */
const inQuery = ({ parameters }: Procedure, query: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    parameters.flatMap(({ name, inQuery }) => {
      const value = query[name]
      return inQuery && value !== undefined ? [[name, value]] : []
    }),
  )

/** The value of the body; undefined without a body. Errors that the validation can locate are left to it. */
async function readDocument(
  procedure: Procedure,
  body: unknown,
  { yieldTurn }: ManagementPorts,
): Promise<unknown> {
  if (!(body instanceof Buffer) || body.length === 0) {
    if (!procedure.isBodyDocument) return undefined
    throw new ServiceError('wamp.error.invalid_argument', 'the document is empty')
  }
  await yieldTurn()
  try {
    return await runSteps(parsingJson(body, documentRules), yieldTurn)
  } catch (cause) {
    if (!(cause instanceof ServiceError) || cause.uri !== 'service.error.bad_request') throw cause
    throw new ServiceError('wamp.error.invalid_argument', cause.message, { cause })
  }
}

async function render(ctx: Context, answer: Answer, mirror: Mirror): Promise<void> {
  ctx.set({ ...answer.headers })
  if (mirror.status === 204) {
    ctx.status = 204
    return
  }
  ctx.status = answer.status ?? 200
  if (answer.forms) return await renderForm(ctx, answer.forms)
  ctx.type = 'application/json'
  ctx.body = stringifyJson(answer.value, 1024 * 1024 * 1024)
}

async function renderForm(ctx: Context, forms: NonNullable<Answer['forms']>): Promise<void> {
  const types = forms.map(({ type }) => type)
  const chosen = exchangeOf(ctx.req).negotiate(types)
  const form = forms.find(({ type }) => type === chosen)
  if (form === undefined) {
    const message = `expected an Accept header that allows ${types.join(' or ')}`
    throw new ServiceError('service.error.not_acceptable', message)
  }
  const bytes = await form.write()
  ctx.vary('Accept')
  ctx.type = form.type
  ctx.body = asBuffer(bytes)
}
