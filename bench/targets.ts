/** What the gateway has to reach. */
import { formerName } from './former.ts'

/** A bound on a figure of one candidate, against the same figure of another. */
export interface RatioTarget {
  readonly what: string
  readonly scenario: string
  readonly candidate: string
  readonly against: string
  readonly figure: 'rate' | 'cpu' | 'p99'
  readonly atLeast?: number
  readonly atMost?: number
  /** A process that may be the limit in place of the candidates: it is what both wait for. */
  readonly limit?: string
}

/** A bound on a figure of a trial. */
interface FigureTarget {
  readonly what: string
  readonly scenario: string
  readonly name: string
  readonly atLeast?: number
  readonly atMost: number
}

/** Something to reach. */
export type Target = RatioTarget | FigureTarget

const bare = 'bare node:http'
const call = { scenario: 'wamp', against: `${bare} + wampy` }
const crossbar = { scenario: 'crossbar', candidate: 'ours on Crossbar.io', limit: 'Crossbar.io' }
const forward = { scenario: 'forward', candidate: 'ours' }
const fixed = { scenario: 'static', candidate: 'ours' }
const post = { scenario: 'post', candidate: 'ours' }
const push = { scenario: 'push', candidate: 'ours, SSE' }
const rate = (atLeast: number) => ({ figure: 'rate', atLeast }) as const
/** A way of tracing, beside none: a fixed answer, and a call. */
const traced = (what: string, way: string, fixedAtLeast: number, callAtLeast: number) =>
  [
    { kind: 'static', atLeast: fixedAtLeast },
    { kind: 'call', atLeast: callAtLeast },
  ].map(({ kind, atLeast }) => ({
    ...{ what: `${what}, ${kind}`, scenario: 'telemetry' },
    ...{ candidate: `${kind}, ${way}`, against: `${kind}, off` },
    ...rate(atLeast),
  }))
/** A route with a policy, or with signed requests, beside the same one without. */
const policy = (against: string, name: string, atLeast: number, scenario = 'policies') => {
  const candidate = `${against}, ${name}`
  return { what: candidate, scenario, candidate, against, ...rate(atLeast) }
}
/** A path for a token that is known, beside an open one. */
const bearer = (what: string, candidate: string) => {
  return { what, scenario: 'bearer', candidate, against: 'ours, open path', ...rate(0.9) }
}
/** A console is open, and requests are watched. */
const watched = (
  kind: string,
  bound: { readonly figure: 'rate' | 'cpu'; readonly atLeast?: number; readonly atMost?: number },
) => ({
  ...{ what: `50 requests a second watched, ${kind}`, scenario: 'watching' },
  ...{ candidate: `${kind}, watched`, against: `${kind}, nobody watches`, ...bound },
})
/** A call of a tool, beside another way to the same procedure. */
const tool = (against: string, atLeast: number, candidate = 'ours, tools/call') => {
  const what = 'a call of a tool'
  return { what, scenario: 'tools', candidate, against, ...rate(atLeast) }
}
/** A bound on a figure of a trial. */
const figure = (scenario: string, name: string, atMost: number, what = name) => ({
  ...{ what, scenario, name, atMost },
})
const halfLoad = {
  ...{ what: 'p99 at half load', scenario: 'half-load' },
  ...{ figure: 'p99' as const, atMost: 1.5 },
}
/** p99 at full load beside the baseline. */
const fullLoad = (
  what: string,
  one: { readonly scenario: string; readonly candidate: string },
  against: string,
) => ({ what: `p99 at full load, ${what}`, ...one, against, figure: 'p99' as const, atMost: 1.3 })

/** CPU time of a response beside the first of the earlier versions. */
const former = (what: string, scenario: string, candidate: string, atMost: number) => ({
  ...{ what: `${what}, CPU`, scenario, candidate, against: formerName },
  ...{ figure: 'cpu' as const, atMost },
})

/** All of them. */
export const targets: readonly Target[] = [
  former('static', 'static', 'ours', 1.03),
  former('WAMP call, embedded router', 'wamp', 'ours, embedded router', 1.05),
  former('forward', 'forward', 'ours', 1),
  former('POST of small JSON', 'post', 'ours', 1),
  { what: 'WAMP call, embedded router', ...call, candidate: 'ours, embedded router', ...rate(1.1) },
  {
    what: 'WAMP call, embedded router, CPU of the gateway',
    ...call,
    candidate: 'ours, embedded router',
    figure: 'cpu',
    atMost: 1.15,
  },
  { what: 'WAMP call, same router', ...call, candidate: 'ours, same router', ...rate(0.9) },
  fullLoad('call', { scenario: 'wamp', candidate: 'ours, same router' }, call.against),
  {
    what: 'WAMP call on Crossbar.io',
    ...crossbar,
    against: 'Crossbar.io’s caller bridge',
    ...rate(1.6),
  },
  {
    what: 'WAMP call on Crossbar.io',
    ...crossbar,
    against: 'raw WAMP calls on Crossbar.io',
    ...rate(0.9),
  },
  { what: 'forward', ...forward, against: `${bare} + undici`, ...rate(0.95) },
  fullLoad('forward', forward, `${bare} + undici`),
  { what: 'forward', ...forward, against: '@fastify/http-proxy', ...rate(1.6) },
  { what: 'forward', ...forward, against: 'http-proxy-3', ...rate(1.6) },
  { what: 'forward', ...forward, against: 'nginx, one worker', ...rate(0.25) },
  { what: 'static', ...fixed, against: 'bare Koa', ...rate(0.85) },
  { what: 'static', ...fixed, against: bare, ...rate(0.9) },
  fullLoad('static', fixed, bare),
  { what: 'POST of small JSON', ...post, against: bare, ...rate(0.9) },
  fullLoad('POST', post, bare),
  {
    what: '5000 routes',
    scenario: 'routes',
    candidate: 'ours, 5000 routes',
    against: 'ours, 1 route without and 1 with a binding',
    ...rate(0.95),
  },
  {
    what: '10 expressions, call',
    scenario: 'expressions',
    candidate: 'call, 10 expressions in args and body',
    against: 'call, no expression',
    ...rate(0.85),
  },
  {
    what: '10 expressions, forward',
    scenario: 'expressions',
    candidate: 'forward, 10 expressions in path, query and body',
    against: 'forward, no expression',
    ...rate(0.85),
  },
  {
    what: '10 hot reloads a second, API of 10 paths',
    scenario: 'reloads',
    candidate: 'ours, 10 paths, 10 loads a second',
    against: 'ours, 10 paths',
    ...rate(0.9),
  },
  bearer('bearer token, signature known', 'ours, bearer token'),
  bearer('token of another issuer, signature known', 'ours, token of another issuer'),
  policy('call', 'webhook', 0.85, 'webhook'),
  policy('static', 'webhook', 0.85, 'webhook'),
  tool('ours, by its path', 0.7),
  tool('ours, POST by its path', 0.7, 'ours, tools/call of the POST'),
  tool(`${bare} + SDK + wampy`, 2),
  {
    what: 'trace token alive, not sent',
    scenario: 'tracing',
    candidate: 'ours, a token that is not sent',
    against: 'ours, no token',
    ...rate(0.98),
  },
  ...traced('trace context passed on', 'propagate', 0.985, 0.985),
  ...traced('spans of 1 %', 'spans of 1 %', 0.97, 0.97),
  ...traced('spans of 5 %', 'spans of 5 %', 0.95, 0.95),
  ...traced('spans of all requests', 'spans of all', 0.6, 0.8),
  watched('static', { figure: 'cpu', atMost: 1.03 }),
  watched('call', { figure: 'cpu', atMost: 1.03 }),
  {
    what: 'schema of a body, call',
    scenario: 'schemas',
    candidate: 'call, schema of the body',
    against: 'call, no schema',
    ...rate(0.9),
  },
  {
    what: 'two query parameters read as types, static',
    scenario: 'schemas',
    candidate: 'static, two parameters read',
    against: 'static, no schema',
    ...rate(0.85),
  },
  { what: 'events to 1,000 streams', ...push, against: `${bare} + wampy`, ...rate(0.9) },
  {
    what: 'events to 1,000 streams, CPU of a delivery',
    ...push,
    against: `${bare} + wampy`,
    figure: 'cpu',
    atMost: 1.15,
  },
  { what: 'events to 1,000 streams', ...push, against: 'nginx + Nchan, one worker', ...rate(0.3) },
  {
    what: 'a filter for each stream',
    scenario: 'push',
    candidate: 'ours, a filter for each stream',
    against: push.candidate,
    ...rate(0.6),
  },
  {
    what: 'streams beside one that does not read, p99',
    scenario: 'push',
    candidate: 'ours, beside one that does not read',
    against: push.candidate,
    figure: 'p99',
    atMost: 1.2,
  },
  {
    what: '10 hot reloads a second of another document, 1,000 streams',
    scenario: 'push',
    candidate: 'ours, 10 loads a second',
    against: push.candidate,
    ...rate(0.95),
  },
  { ...halfLoad, candidate: 'ours, static', against: `${bare}, static` },
  { ...halfLoad, candidate: 'ours, call', against: `${bare}, call` },
  { ...halfLoad, candidate: 'ours, forward', against: `${bare}, forward` },
  { ...halfLoad, candidate: 'ours, POST', against: `${bare}, POST` },
  figure('http2', 'ours, HTTP/2, against ours, HTTP/1.1 over TLS: CPU time', 1.15),
  figure('start', 'ours: start to first answer', 0.8, 'start to first answer, s'),
  { what: 'RSS idle, MB', scenario: 'start', name: 'ours: RSS idle', atMost: 150 },
  figure('large-document', 'first load', 1000, 'load of 10,000 paths, first, ms'),
  figure(
    'large-document',
    'later loads, each in place of the last',
    1000,
    'load of 10,000 paths, later, ms',
  ),
  figure(
    'large-document',
    'p99 of other requests meanwhile',
    50,
    'p99 of other requests meanwhile, ms',
  ),
  figure(
    'large-schemas',
    'time of a load with schemas, against one without',
    1.25,
    'load of 10,000 paths with 100 named schemas, ×',
  ),
  figure(
    'schemas-memory',
    'RSS with 100 named schemas, more than without',
    30,
    'RSS of 100 named schemas on 10,000 paths, MB',
  ),
  figure(
    'schemas-memory',
    'RSS with 10,000 distinct schemas, more than without',
    60,
    'RSS of 10,000 distinct schemas, MB',
  ),
  figure('metrics', 'scrape', 1000, 'scrape of 20,000 series, ms'),
  figure(
    'metrics',
    'p99 of other requests meanwhile',
    50,
    'p99 of other requests during a scrape, ms',
  ),
  figure('openapi', 'first answer', 1500, 'first OpenAPI description of 10,000 paths, ms'),
  figure('openapi', 'p99 of other requests meanwhile', 50, 'p99 of other requests meanwhile, ms'),
  figure(
    'openapi',
    'CPU time of the description, against a fixed answer of its size',
    1.1,
    'CPU time of a description that is made, ×',
  ),
  {
    what: 'pieces of a result',
    scenario: 'progress',
    candidate: 'ours, pieces',
    against: `${bare} + wampy, pieces`,
    ...rate(0.9),
  },
  {
    what: 'JSON of a route with on_progress',
    scenario: 'progress',
    candidate: 'ours, JSON with on_progress',
    against: 'ours, JSON without on_progress',
    ...rate(0.98),
  },
  figure(
    'push-crowd',
    'p99 of that',
    250,
    'one event to 10,000 streams, until the last has it, p99, ms',
  ),
  figure(
    'push-crowd',
    'p99 of other requests meanwhile',
    50,
    'p99 of other requests meanwhile, ms',
  ),
  figure('push-crowd', 'RSS of an idle stream', 12, 'RSS of an idle stream, kB'),
  figure('push-churn', 'sources that are left', 0, 'sources left of streams that were closed'),
  figure('specifications', 'first start with 10000 files', 60),
  figure('specifications', 'restart with 10000', 10),
  figure('specifications', 'RSS after a restart with 10000', 450),
  figure('specifications', 'CPU time of a load, 10000 to 100', 1.5),
  figure('specifications', 'p99 of requests, with loads to without', 1.5),
  policy('static', 'rate_limit', 0.95),
  policy('call', 'rate_limit', 0.95),
  policy('POST, call', 'idempotency', 0.55),
  policy('computed 2 kB', 'etag', 0.93),
  policy('static', '304', 1),
  policy('static', 'cache hit', 0.9),
  policy('call', 'circuit_breaker', 0.97),
  policy('call', 'cache hit', 2),
  policy('call', 'rate_limit', 0.95, 'policies-peers'),
  policy('call', 'cache hit', 2, 'policies-peers'),
  policy('forward', 'rate_limit', 0.95, 'policies-peers'),
]
