/** Progress of a tool while its callee works, and a client that goes away, over real HTTP and the router of the run. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { openEventStream } from '#test/support/event-stream.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { askOf, callOf, meta, olderAsk, type Sent, tool } from '#test/unit/gateway/tools/fixture.ts'

const realm = 'com.example.test'

/** WAMP: message types. */
const [REGISTER, INVOCATION, INTERRUPT, YIELD, ERROR] = [64, 68, 69, 70, 8]

const operation = (action: object = {}, response: object = {}) => ({
  action: {
    type: 'wamp_call',
    procedure: 'com.example.build',
    kwargs: '{{request.body}}',
    ...action,
  },
  response: {
    on_progress: { body: '{{action.progress.args |> head}}' },
    on_result: { body: '{{action.result.kwargs}}' },
    on_error: { status_code: 422, body: { code: '{{action.error.error_uri}}' } },
    ...response,
  },
})

const input = { type: 'object' }
const raw = {
  on_progress: { body: '{{action.progress.args |> head}}' },
  on_result: { headers: { 'content-type': 'text/plain' }, body: 'end' },
  on_error: {},
}

const document = {
  id: 'com.example.tools',
  host: '_',
  realm_uri: realm,
  versions: {
    '1': {
      base_path: '/tools',
      mcp: { path: '/mcp', max_result_bytes: 2_000 },
      paths: {
        '/build': { post: tool('build', { input }, operation()) },
        '/only': {
          provides: ['text/event-stream'],
          post: tool('only_streams', { input }, operation()),
        },
        '/raw': { post: tool('raw', { input }, operation({}, raw)) },
      },
    },
  },
}

/** A callee that does what the keyword arguments say, and counts interrupts. */
async function startCallee(url: string) {
  const peer = await RouterPeer.join({ url, realm })
  await peer.ask(REGISTER, 1, {}, 'com.example.build')
  const seen = { invocations: 0, interrupts: 0 }
  void (async () => {
    for (;;) {
      const [type, id, , details, , kwargs] = await peer.next()
      if (type === INTERRUPT) {
        seen.interrupts++
        peer.send(ERROR, INVOCATION, id, {}, 'wamp.error.canceled')
      }
      if (type !== INVOCATION) continue
      seen.invocations++
      // Crossbar.io leaves empty keyword arguments out
      const { pieces = [], last, size = 0 } = (kwargs ?? {}) as Told
      const wants = (details as { receive_progress?: boolean }).receive_progress === true
      for (const piece of wants ? pieces : []) peer.send(YIELD, id, { progress: true }, [piece])
      if (last === 'fail') peer.send(ERROR, INVOCATION, id, {}, 'com.example.broken')
      if (last === 'end') peer.send(YIELD, id, {}, [], { wants, text: 'x'.repeat(size) })
    }
  })().catch(() => undefined)
  return { seen, close: () => peer.webSocket.close() }
}

interface Told {
  readonly pieces?: readonly unknown[]
  readonly last?: 'end' | 'fail'
  readonly size?: number
}

/** A call with a token for its progress. */
const progressing = (
  name: string,
  args: Told,
  progressToken: unknown = 'p',
  ofEra: object = meta,
): Sent => callOf(name, args, { _meta: { ...ofEra, progressToken } })

describe('The progress of a tool', () => {
  let gateway: TestGateway
  let callee: Awaited<ReturnType<typeof startCallee>>

  before(async () => {
    gateway = await startGateway()
    await gateway.mustLoad(document)
    callee = await startCallee(gateway.routerUrl)
  })
  after(async () => {
    callee.close()
    await gateway.stop()
  })

  const open = ({ headers = {}, body = '' }: ReturnType<typeof askOf>) =>
    openEventStream(`${gateway.url}/tools/mcp`, {
      method: 'POST',
      headers,
      body: JSON.parse(body) as unknown,
    })

  const post = async ({ headers = {}, body = '' }: ReturnType<typeof askOf>) => {
    const typed = { ...headers, 'content-type': 'application/json' }
    const answer = await send(gateway.url, '/tools/mcp', { method: 'POST', headers: typed, body })
    return {
      status: answer.status,
      type: answer.headers['content-type'],
      json: answer.json() as Json,
    }
  }

  for (const [era, ask, ofEra] of [
    ['2026-07-28', askOf, meta],
    ['2025-11-25', olderAsk, {}],
  ] as const) {
    it(`is told by notifications with the token of the client, then the result comes: ${era}`, async () => {
      const stream = await open(
        ask(progressing('build', { pieces: ['half', { percent: 90 }], last: 'end' }, 7, ofEra)),
      )
      expect(stream.status).to.equal(200)
      expect(stream.headers['cache-control']).to.equal('no-store, no-transform')
      const messages: unknown[] = []
      for (let count = 0; count < 3; count++) {
        const { event, data } = await stream.next()
        expect(event).to.equal('message')
        messages.push(JSON.parse(data))
      }
      expect(await stream.ended).to.equal(true)
      const progress = (number: number, message: string) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 7, progress: number, message },
      })
      expect(messages.slice(0, 2)).to.deep.equal([
        progress(1, 'half'),
        progress(2, '{"percent":90}'),
      ])
      const { id, result } = messages[2] as Json
      expect(id).to.equal(1)
      expect(result?.structuredContent).to.deep.equal({ wants: true, text: '' })
    })
  }

  it('is at most 1,000 characters of a piece', async () => {
    const stream = await open(
      askOf(progressing('build', { pieces: ['é'.repeat(5_000)], last: 'end' })),
    )
    const { params } = JSON.parse((await stream.next()).data) as Json
    expect(params?.message).to.equal('é'.repeat(1_000))
  })

  it('is not asked for without a token, or by a client that reads no stream', async () => {
    const { type, json } = await post(askOf(callOf('build', { pieces: [1], last: 'end' })))
    expect([type, json.result?.structuredContent]).to.deep.equal([
      'application/json',
      { wants: false, text: '' },
    ])
    const ask = askOf(progressing('build', { pieces: [1], last: 'end' }), {
      accept: 'application/json',
    })
    expect((await post(ask)).json.result?.structuredContent).to.deep.equal({
      wants: false,
      text: '',
    })
  })

  it('ends with the error of the callee', async () => {
    const stream = await open(askOf(progressing('build', { pieces: [1], last: 'fail' })))
    await stream.next()
    const { result } = JSON.parse((await stream.next()).data) as Json
    expect(result?.isError).to.equal(true)
    expect(JSON.parse(result?.content?.[0]?.text ?? '')).to.deep.equal({
      code: 'com.example.broken',
      body: { code: 'com.example.broken' },
    })
  })

  it('ends with an error where the result is above max_result_bytes', async () => {
    const stream = await open(
      askOf(progressing('build', { pieces: [1], last: 'end', size: 3_000 })),
    )
    await stream.next()
    const { result } = JSON.parse((await stream.next()).data) as Json
    expect(result?.isError).to.equal(true)
    expect(result?.content?.[0]?.text).to.include('service.error.payload_too_large')
  })

  it('is left out of the answer of an operation that is only a stream, where no client asks for it', async () => {
    const { type, json } = await post(
      askOf(callOf('only_streams', { pieces: [1, 2], last: 'end' })),
    )
    expect([type, json.result?.structuredContent]).to.deep.equal([
      'application/json',
      { wants: true, text: '' },
    ])
    const failing = await post(askOf(callOf('only_streams', { pieces: [1], last: 'fail' })))
    expect(failing.json.result?.isError).to.equal(true)
  })

  it('is the text of the result where pieces go out raw', async () => {
    const { json } = await post(askOf(callOf('raw', { pieces: ['a', 'b'], last: 'end' })))
    expect(json.result?.content).to.deep.equal([{ type: 'text', text: 'abend' }])
    const long = { pieces: Array.from({ length: 30 }, () => 'x'.repeat(100)), last: 'end' } as const
    const cut = await post(askOf(callOf('raw', long)))
    expect(cut.json.result?.content?.[0]?.text).to.include('service.error.payload_too_large')
    const failing = await post(askOf(callOf('raw', { pieces: ['a'], last: 'fail' })))
    expect(failing.json.result?.isError).to.equal(true)
  })

  for (const [title, sent] of [
    ['while it is told', progressing('build', { pieces: [1] })],
    ['before anything is told', progressing('build', {})],
  ] as const) {
    it(`ends with the client: the callee sees INTERRUPT ${title}`, async () => {
      const { interrupts, invocations } = callee.seen
      if (title === 'while it is told') {
        const stream = await open(askOf(sent))
        await stream.next()
        stream.close()
      } else {
        const controller = new AbortController()
        const { headers = {}, body = '' } = askOf(sent)
        const asked = fetch(`${gateway.url}/tools/mcp`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' } as Record<string, string>,
          body,
          signal: controller.signal,
        }).catch(() => undefined)
        await until('the callee is called', () => callee.seen.invocations > invocations)
        controller.abort()
        await asked
      }
      await until('the callee is interrupted', () => callee.seen.interrupts > interrupts)
    })
  }
})

interface Json {
  readonly id?: unknown
  readonly params?: Record<string, unknown>
  readonly result?: {
    readonly content?: readonly { readonly text: string }[]
    readonly structuredContent?: unknown
    readonly isError?: boolean
  }
}
