/** How answers grow with the number of connections; with one, latency is all there is. */
import type { Ask } from '#bench/asks.ts'
import { realm } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario, Stage } from '#bench/stage.ts'
import { staticPath } from './static.ts'
import { callPaths, greetingAsks, procedure, startCallee, startRouter } from './wamp.ts'

async function build(stage: Stage): Promise<void> {
  const body = JSON.stringify(small)
  const about: readonly Ask[] = [{ path: '/about', expected: { body } }]
  const [bare, ours, router] = await Promise.all([
    stage.peer('bare', 'static-http.ts', body),
    stage.gateway('ours', { ...callPaths, '/about': staticPath(small) }),
    startRouter(stage),
  ])
  const [wampy] = await Promise.all([
    stage.peer('bare', 'wamp-http.ts', router.url, realm, procedure),
    startCallee(stage, router.url, 'Hello, {}!'),
    startCallee(stage, ours.routerUrl, 'Hello, {}!'),
  ])
  const greeting = greetingAsks('Hello, Ada!')
  for (const connections of [1, 64, 512]) {
    const against = `bare node:http, ${connections}`
    stage.compare(against, bare, about, { connections, against })
    stage.compare(`ours, static, ${connections}`, ours, about, { connections, against })
  }
  for (const connections of [1, 64, 512]) {
    const against = `bare node:http + wampy, ${connections}`
    stage.compare(against, wampy, greeting, { connections, against })
    stage.compare(`ours, call, ${connections}`, ours, greeting, { connections, against })
  }
}

/** Static answers and calls on the embedded router. */
export const connections: Scenario = {
  about: '1, 64 and 512 connections: static answers, and calls on the embedded router',
  build,
}
