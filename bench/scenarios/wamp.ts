/** WAMP calls over the router of this project. */
import type { Ask } from '#bench/asks.ts'
import { realm } from '#bench/gateway.ts'
import { large } from '#bench/payloads.ts'
import { defaultConnections, type Scenario, type Stage } from '#bench/stage.ts'

/** What the callees of the bench register. */
export const procedure = 'com.example.test.greet'

/** A path that calls it with its binding. */
export const callPaths = {
  '/hello/:name': {
    get: {
      action: { type: 'wamp_call', procedure, args: ['{{request.bindings.name}}'] },
      response: {
        on_result: { body: { greeting: '{{action.result.args |> head}}' } },
        on_error: { status_code: 502, body: '{{action.error}}' },
      },
    },
  },
}

/** Starts the embedded router's code as a process of its own; the address for WAMP clients. */
export async function startRouter(stage: Stage) {
  const args = ['--disable-proto=delete', 'test/support/peers/router-process.ts', '0']
  const process = stage.start({ name: 'router', args: () => args })
  return { process, url: `ws://127.0.0.1:${await process.says(/^listening (\d+)$/m)}/ws` }
}

/** Registers the procedure, which answers this; `{}` in a text is its first argument. */
export const startCallee = (stage: Stage, routerUrl: string, result: unknown) =>
  stage.peer('callee', 'callee.ts', routerUrl, realm, procedure, JSON.stringify(result))

/** What `GET /hello/Ada` comes to. */
export const greetingAsks = (result: unknown): readonly Ask[] => [
  { path: '/hello/Ada', expected: { body: JSON.stringify({ greeting: result }) } },
]

async function build(stage: Stage, result: unknown, answer: unknown) {
  const asks = greetingAsks(answer)
  const router = await startRouter(stage)
  const [bare, remote, embedded] = await Promise.all([
    stage.peer('bare', 'wamp-http.ts', router.url, realm, procedure),
    stage.gateway('ours', callPaths, { 'wamp.url': router.url }),
    stage.gateway('ours, embedded', callPaths),
    startCallee(stage, router.url, result),
  ])
  await startCallee(stage, embedded.routerUrl, result)
  const formers = await stage.formers(callPaths)
  for (const { gateway } of formers) await startCallee(stage, gateway.routerUrl, result)
  stage.compare('bare node:http + wampy', bare, asks)
  stage.compare('ours, same router', remote, asks)
  stage.compare('ours, embedded router', embedded, asks)
  // on their embedded routers, too
  for (const { name, gateway } of formers) stage.compare(name, gateway, asks)
  return { router, embedded }
}

/** Small JSON, also with an access log, and what the router can without HTTP. */
export const wampSmall: Scenario = {
  about: 'a WAMP call, its result a short text; raw calls: the CPU time is the router’s',
  build: async (stage) => {
    const [result, answer] = ['Hello, {}!', 'Hello, Ada!']
    const { router, embedded } = await build(stage, result, answer)
    const logging = await stage.gateway('ours, logging', callPaths, { 'log.access': 'true' })
    await startCallee(stage, logging.routerUrl, result)
    stage.compare('ours, embedded router, access log', logging, greetingAsks(answer))
    for (const [name, { process }, routerUrl] of [
      ['raw WAMP calls', router, router.url],
      ['raw WAMP calls, embedded router', embedded, embedded.routerUrl],
    ] as const) {
      const load = { realm, procedure, inFlight: defaultConnections, routerUrl }
      stage.candidates.push({ name, process, load })
    }
  },
}

/** 10 kB JSON. */
export const wampLarge: Scenario = {
  about: 'a WAMP call, its result 10 kB',
  build: async (stage) => void (await build(stage, large, large)),
}
