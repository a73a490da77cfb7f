/** Results that come in pieces: what a piece costs beside a bare peer, and what the possibility costs those who want JSON. */
import type { Ask } from '#bench/asks.ts'
import { realm } from '#bench/gateway.ts'
import type { Scenario } from '#bench/stage.ts'
import { callPaths, greetingAsks, startCallee, startRouter } from './wamp.ts'

/** Of each result. */
const pieces = 100

const procedureOfPieces = 'com.example.test.recite'

const { get } = callPaths['/hello/:name']

/** The pieces are the body, one after the other. */
const inPieces = {
  action: { type: 'wamp_call', procedure: procedureOfPieces },
  response: {
    on_progress: { body: '{{action.progress.args |> head}}' },
    on_result: {
      headers: { 'content-type': 'text/plain' },
      body: '{{action.result.args |> head}}',
    },
    on_error: {},
  },
}

/** A call whose client may ask for a stream, and does not. */
const mayStream = {
  ...get,
  response: { ...get.response, on_progress: { body: '{{action.progress.args |> head}}' } },
}

const asksOfPieces: readonly Ask[] = [
  {
    path: '/pieces',
    expected: {
      type: 'text/plain',
      body: Array.from({ length: pieces }, (_, number) => `piece ${number + 1}`).join(''),
    },
  },
]

/** One router, with a callee of each kind. */
export const progress: Scenario = {
  about: `a call whose result comes in ${pieces} pieces, which are the body; and the same JSON with and without on_progress`,
  build: async (stage) => {
    const router = await startRouter(stage)
    const paths = {
      '/pieces': { get: inPieces },
      ...callPaths,
      '/may-stream/:name': { get: mayStream },
    }
    const [bare, gateway] = await Promise.all([
      stage.peer('bare', 'progress-http.ts', router.url, realm, procedureOfPieces),
      stage.gateway('ours', paths, { 'wamp.url': router.url }),
      stage.peer(
        'callee of pieces',
        'progress-callee.ts',
        router.url,
        realm,
        procedureOfPieces,
        `${pieces}`,
      ),
      startCallee(stage, router.url, 'Hello, {}!'),
    ])
    const connections = 16
    stage.compare('bare node:http + wampy, pieces', bare, asksOfPieces, { connections })
    stage.compare('ours, pieces', gateway, asksOfPieces, { connections })
    const against = 'ours, JSON without on_progress'
    const asks = greetingAsks('Hello, Ada!')
    stage.compare(against, gateway, asks, { against })
    const [ask] = asks
    const mayStreamAsks = ask ? [{ ...ask, path: '/may-stream/Ada' }] : []
    stage.compare('ours, JSON with on_progress', gateway, mayStreamAsks, { against })
  },
}
