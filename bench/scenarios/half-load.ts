/** Latency where there is no queue: the same rate for all, half of what the slowest of them can. */
import type { Ask } from '#bench/asks.ts'
import { realm } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario, Stage } from '#bench/stage.ts'
import { forwardPath, startUpstream } from './forward.ts'
import { postAsks, postPaths } from './post.ts'
import { staticPath } from './static.ts'
import { callPaths, greetingAsks, procedure, startCallee, startRouter } from './wamp.ts'

async function build(stage: Stage): Promise<void> {
  const body = JSON.stringify(small)
  const upstream = await startUpstream(stage, '/quotes/1', body)
  const [ours, router] = await Promise.all([
    stage.gateway('ours', {
      ...callPaths,
      ...postPaths,
      '/about': staticPath(small),
      '/quotes/:id': forwardPath(upstream.url, { path: '/quotes/{{request.bindings.id}}' }),
    }),
    startRouter(stage),
  ])
  const [http, wampy, undici, parser] = await Promise.all([
    stage.peer('bare', 'static-http.ts', body),
    stage.peer('bare', 'wamp-http.ts', router.url, realm, procedure),
    stage.peer('bare', 'forward-undici.ts', upstream.url),
    stage.peer('bare', 'post-http.ts'),
    startCallee(stage, router.url, 'Hello, {}!'),
    startCallee(stage, ours.routerUrl, 'Hello, {}!'),
  ])
  const compare = (kind: string, bare: typeof http, asks: readonly Ask[]) => {
    const against = `bare node:http, ${kind}`
    stage.compare(against, bare, asks, { against })
    stage.compare(`ours, ${kind}`, ours, asks, { against })
  }
  compare('static', http, [{ path: '/about', expected: { body } }])
  compare('call', wampy, greetingAsks('Hello, Ada!'))
  compare('forward', undici, [{ path: '/quotes/1', expected: { body } }])
  compare('POST', parser, postAsks)
}

/** Static, call, forward, POST. */
export const halfLoad: Scenario = {
  about: 'both at half of what the slower of the two can; requests come at random times',
  isHalfLoad: true,
  build,
}
