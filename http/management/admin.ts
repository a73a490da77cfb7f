/** The Koa applications, made of two routers: management, and health with `/ping`, `/ready` and `/metrics`. */
import { Readable } from 'node:stream'
import Router from '@koa/router'
import Koa, { type Middleware } from 'koa'
import { ServiceError } from '#component/errors.ts'
import { contentTypes } from '#component/metrics/exposition.ts'
import { ownPath } from '#component/metrics/place.ts'
import { type Fallback, fail, type ListenerPorts, notServed, refuseAll } from '#http/gateway.ts'
import { exchangeOf, type HttpExchange, keepExchange } from '#http/read-request.ts'
import type { IsShown, Metrics } from './metrics.ts'
import { metricsFormat } from './metrics-format.ts'

/** The state of a node that `/ready` and `/metrics` report. */
export interface HealthPorts {
  isReady(): boolean
  /** Current problems, one sentence each; while the node is not ready, the reasons why. */
  problems(): readonly string[]
  readonly metrics: Metrics
  /**
   * Whether the metrics of a document are shown to the client of a request; undefined: everything is. Absent: to everybody.
   * @throws ServiceError 401, 403
   */
  metricsFor?(exchange: HttpExchange): Promise<IsShown | undefined>
}

/** The paths of health and metrics. */
export const healthPaths: readonly string[] = ['/ping', '/ready', '/metrics']

/** The routes of {@link healthPaths}. */
export function healthRouter({ isReady, problems, metrics, metricsFor }: HealthPorts): Router {
  const router = new Router({ sensitive: true, strict: true })
  router.use(async (ctx, next) => {
    exchangeOf(ctx.req).served = ownPath(ctx.path)
    await next()
  })
  router.get('/ping', (ctx) => {
    ctx.body = 'pong'
  })
  router.get('/ready', (ctx) => {
    if (!isReady()) {
      const reasons = problems().join('; ') || 'it is starting'
      throw new ServiceError('service.error.unavailable', `this node is not ready: ${reasons}`)
    }
    ctx.body = ['ready', ...problems()].join('\n')
  })
  router.get('/metrics', async (ctx) => {
    const exchange = exchangeOf(ctx.req)
    const isShown = await metricsFor?.(exchange)
    const format = metricsFormat(exchange.header('accept'))
    ctx.set('Content-Type', contentTypes[format])
    ctx.body = Readable.from(metrics.render(format, isShown))
  })
  return router
}

/**
 * The routers of a listener, as one function; requests that no route serves get 404, or 405 with `Allow`. A path whose first
 * segment no route has is refused without Koa, whose answer would cost more than that of a route.
 */
export function koaFallback(ports: ListenerPorts, routers: readonly Router[]): Fallback {
  const app = new Koa()
  app.on('error', (error: unknown) => ports.log.warn({ err: error }, 'a response was aborted'))
  app.use(frame(ports))
  for (const router of routers) app.use(router.routes())
  app.use(refuseTheRest(routers))
  const callback = app.callback()
  const served = firstSegments(routers)
  const refuse = refuseAll(ports)
  return (exchange) => {
    if (!served.has(firstSegment(exchange.path))) {
      refuse(exchange)
      return
    }
    const { request, response } = exchange.transport.messages()
    keepExchange(exchange, request)
    // frame catches every error of the routers
    void callback(request, response)
  }
}

/** The text between the first two slashes of a path. */
const firstSegment = (path: string): string => path.split('/', 2)[1] ?? ''

/** The first segments of all routes; no route begins with a parameter. */
function firstSegments(routers: readonly Router[]): ReadonlySet<string> {
  const routes = routers.flatMap(({ stack }) => stack).filter(({ methods }) => methods.length > 0)
  return new Set(routes.map(({ path }) => firstSegment(String(path))))
}

const noStore = { 'cache-control': 'no-store' }

/** Sets the fields of every answer, and answers errors in the same way as errors of routed requests. */
function frame(ports: ListenerPorts): Middleware {
  // other origins are told where nothing is served, and nothing of management
  const own = { ...ports, headersOf: () => noStore }
  return async (ctx, next) => {
    const exchange = exchangeOf(ctx.req)
    ctx.set({
      'X-Request-Id': exchange.id,
      'X-Content-Type-Options': 'nosniff',
      ...noStore,
    })
    try {
      await next()
      if (ports.isClosing()) ctx.res.shouldKeepAlive = false
    } catch (error) {
      ctx.respond = false
      fail(exchange, error, error === notServed ? ports : own)
    }
  }
}

function refuseTheRest(routers: readonly Router[]): Middleware {
  return (ctx) => {
    const matches = routers.flatMap((router) => router.match(ctx.path, ctx.method).path)
    const allow = [...new Set(matches.flatMap(({ methods }) => methods))]
    if (allow.length === 0 || ctx.path.includes('//')) throw notServed
    const message = 'the method is not supported at this path'
    throw new ServiceError('service.error.method_not_allowed', message, {
      headers: { allow: allow.join(', ') },
    })
  }
}
