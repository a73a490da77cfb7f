/** JSON bodies that are parsed. */
import type { Ask } from '#bench/asks.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario } from '#bench/stage.ts'

/** A body, and the answer to it. */
export const postAsks: readonly Ask[] = [
  {
    method: 'POST',
    path: '/waves',
    body: JSON.stringify(small),
    expected: { body: JSON.stringify({ received: 'bench' }) },
  },
]

/** A path that answers with a member of the body. */
export const postPaths = {
  '/waves': {
    post: {
      action: { type: 'static', body: { received: '{{request.body.name}}' } },
      response: { on_result: { status_code: 200 }, on_error: {} },
    },
  },
}

/** No schema: parsed, one member read. */
export const post: Scenario = {
  about: 'POST of 50 bytes of JSON, which is parsed; one member comes back',
  build: async (stage) => {
    const [http, koa, ours] = await Promise.all([
      stage.peer('bare', 'post-http.ts'),
      stage.peer('koa', 'post-koa.ts'),
      stage.gateway('ours', postPaths),
    ])
    const formers = await stage.formers(postPaths)
    stage.compare('bare node:http', http, postAsks)
    stage.compare('Koa + koa-body', koa, postAsks)
    stage.compare('ours', ours, postAsks)
    for (const { name, gateway } of formers) stage.compare(name, gateway, postAsks)
  },
}
