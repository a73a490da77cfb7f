/** Progressive results of a call as a stream, and what they cost an answer that is none. */
import { realm } from '#bench/gateway.ts'
import type { Scenario } from '#bench/stage.ts'
import { startRouter } from './wamp.ts'

const procedure = 'com.example.test.pieces'

/** Pieces of a call. */
const count = 100

/** A piece: 200 bytes. */
const text = 'piece '.repeat(33)

const operation = (on_progress?: object) => ({
  get: {
    action: { type: 'wamp_call', procedure },
    response: {
      ...(on_progress && { on_progress }),
      on_result: { body: '{{action.result.args |> head}}' },
      on_error: {},
    },
  },
})

const paths = {
  '/pieces': operation({ body: '{{action.progress.args |> head}}' }),
  '/plain': operation(),
}

const data = JSON.stringify(text)
const frames = Array.from({ length: count }, (_, at) => `id: ${at + 1}\ndata: ${data}\n\n`)
const last = `id: ${count + 1}\nevent: result\ndata: "end"\n\n`
const asStream = [
  {
    path: '/pieces',
    headers: { accept: 'text/event-stream' },
    expected: { type: 'text/event-stream', body: frames.join('') + last },
  },
]
const asJson = (path: string) => [{ path, expected: { body: '"end"' } }]

/** A request is a call: its rate is a hundredth of that of the pieces. */
export const pieces: Scenario = {
  about: `a WAMP call with ${count} progressive results of 200 B as one stream; the same route as JSON`,
  build: async (stage) => {
    const router = await startRouter(stage)
    const [bare, ours] = await Promise.all([
      stage.peer('bare', 'pieces-http.ts', router.url, realm, procedure),
      stage.gateway('ours', paths, { 'wamp.url': router.url }),
      stage.peer('callee', 'pieces-callee.ts', router.url, realm, procedure, `${count}`, text),
    ])
    stage.compare('bare node:http + wampy', bare, asStream)
    stage.compare('ours, SSE', ours, asStream)
    const plain = 'ours, no on_progress'
    stage.compare(plain, ours, asJson('/plain'))
    stage.compare('ours, JSON', ours, asJson('/pieces'), { against: plain })
  },
}
