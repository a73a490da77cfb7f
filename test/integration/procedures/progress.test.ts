/** Progressive results of procedures: the response of an HTTP service comes in pieces. */
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { until } from '#test/support/running/until.ts'
import {
  type Caller,
  documentOf,
  openCaller,
  openService,
  realm,
  type Service,
} from './procedures.setup.ts'

const lines = Array.from({ length: 3000 }, (_, index) => JSON.stringify({ index, text: 'ä' }))

/** Path to type and body. */
const bodies: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  '/ndjson': ['application/x-ndjson', `${lines.join('\n')}\n`],
  '/jsonl': ['application/jsonl', '1\n\n"two"\r\n[3]'],
  '/seq': ['application/json-seq', '\x1e{"a":1}\n\x1e2\n'],
  '/sse': [
    'text/event-stream',
    '\uFEFF: a comment\nid: 7\nevent: word\ndata: one\ndata: two\n\ndata:three\r\n\r\nid\rdata: four\r\rdata: never told\n',
  ],
  '/bytes': ['application/octet-stream', Buffer.alloc(150_000, 7)],
  '/text': ['text/plain; charset=utf-8', 'ü'.repeat(100)],
  '/broken': ['application/x-ndjson', '{"a":1}\n{"a"\n'],
  '/empty': ['application/x-ndjson', ''],
}

/** A callee: two pieces and a result, an error behind a piece, and what never ends behind one. */
async function openCallee(url: string, whenCanceled: () => void): Promise<RouterPeer> {
  const peer = await RouterPeer.join({ url, realm })
  const uris = new Map<number, string>()
  for (const name of ['counts', 'fails', 'waits']) {
    uris.set(await peer.register(`com.example.callee.${name}`), name)
  }
  const serve = async () => {
    for (;;) {
      const [code, request, id, details] = await peer.next()
      if (code === 69) whenCanceled()
      if (code !== 68) continue
      const wants = Object(details).receive_progress === true
      const piece = (...args: unknown[]) =>
        wants && peer.send(70, request, { progress: true }, args, { of: 'callee' })
      const name = uris.get(id as number)
      piece('one')
      if (name === 'counts') {
        piece('two')
        peer.send(70, request, {}, ['all'], { wants })
      } else if (name === 'fails') {
        peer.send(8, 68, request, {}, 'com.example.error.broken', ['why'])
      }
    }
  }
  void serve().catch(() => undefined)
  return peer
}

describe('a procedure with on_progress', () => {
  let gateway: TestGateway
  let service: Service
  let caller: Caller
  let callee: RouterPeer
  let interrupts = 0

  before(async () => {
    service = await openService((request, response) => {
      const { url = '' } = request
      if (url === '/cut') {
        response.writeHead(200, { 'content-type': 'application/x-ndjson' })
        response.write('1\n', () => setImmediate(() => response.destroy()))
        return
      }
      const found = bodies[url]
      const json = { 'content-type': 'application/json' }
      if (found) response.writeHead(200, { 'content-type': found[0] }).end(found[1])
      else response.writeHead(404, json).end('{"why":"none"}')
    })
    gateway = await startGateway()
    const action = {
      type: 'forward',
      ...{ host: service.origin, http_method: 'get', path: '/{{invocation.args |> head}}' },
    }
    await gateway.mustLoad(
      documentOf({
        'com.example.tail': {
          action,
          response: { on_progress: { args: ['{{action.progress.data}}'] } },
        },
        'com.example.told': {
          action,
          response: {
            on_progress: {
              args: ['{{action.progress.number}}', '{{action.progress.data}}'],
              kwargs: {
                event: "{{action.progress |> get(event, 'none')}}",
                id: "{{action.progress |> get(id, 'none')}}",
              },
            },
            on_result: { kwargs: { status: '{{action.result.status_code}}' } },
          },
        },
      }),
    )
    const called = (procedure: string) => ({ type: 'wamp_call', procedure })
    await gateway.mustLoad({
      ...documentOf({
        'com.example.counts': {
          action: called('com.example.callee.counts'),
          response: {
            on_progress: {
              args: ['{{action.progress.number}}', '{{action.progress.args |> head}}'],
            },
          },
        },
        'com.example.renamed': {
          action: called('com.example.callee.counts'),
          response: {
            on_progress: { kwargs: {} },
            on_result: { args: ['{{action.result.kwargs.wants}}'] },
          },
        },
        'com.example.fails': {
          action: called('com.example.callee.fails'),
          response: { on_progress: { kwargs: {} } },
        },
        'com.example.waits': {
          action: called('com.example.callee.waits'),
          response: { on_progress: { kwargs: {} } },
        },
        'com.example.unfit': {
          action: called('com.example.callee.waits'),
          response: { on_progress: { args: ['{{action.progress.kwargs.none}}'] } },
        },
      }),
      id: 'com.example.passing',
    })
    callee = await openCallee(gateway.routerUrl, () => {
      interrupts += 1
    })
    caller = await openCaller(gateway.routerUrl)
  })
  after(async () => {
    await caller?.close()
    callee?.cut()
    await gateway?.stop()
    service?.close()
  })

  /** The pieces, and the end. */
  async function pieces(procedure: string, name: string) {
    const found: { args: unknown[]; kwargs: object }[] = []
    const answer = await caller.call(
      procedure,
      [name],
      {},
      {
        progress_callback: ({ argsList = [], argsDict = {} }) =>
          void found.push({ args: argsList, kwargs: argsDict }),
      },
    )
    // wampy gives the last one to the same callback where it is progressive only
    return { found, answer }
  }

  it('gives a progressive result for each line of NDJSON', async () => {
    const { found, answer } = await pieces('com.example.tail', 'ndjson')
    expect(found.map(({ args }) => args[0])).to.deep.equal(lines.map((line) => JSON.parse(line)))
    expect(answer).to.deep.equal({ args: [], kwargs: {} })
  })

  for (const [name, expected] of [
    ['jsonl', [1, 'two', [3]]],
    ['seq', [{ a: 1 }, 2]],
    ['text', ['ü'.repeat(100)]],
    ['empty', []],
  ] as const) {
    it(`gives the pieces of ${name}`, async () => {
      const { found } = await pieces('com.example.tail', name)
      expect(found.map(({ args }) => args[0])).to.deep.equal(expected)
    })
  }

  it('gives the events of SSE with their names and ids', async () => {
    const { found, answer } = await pieces('com.example.told', 'sse')
    expect(found).to.deep.equal([
      { args: [1, 'one\ntwo'], kwargs: { event: 'word', id: '7' } },
      { args: [2, 'three'], kwargs: { event: 'none', id: '7' } },
      { args: [3, 'four'], kwargs: { event: 'none', id: '' } },
    ])
    expect(answer.kwargs).to.deep.equal({ status: 200 })
  })

  for (const [procedure, found, answer] of [
    [
      'com.example.counts',
      [
        { args: [1, 'one'], kwargs: { of: 'callee' } },
        { args: [2, 'two'], kwargs: { of: 'callee' } },
      ],
      { args: ['all'], kwargs: { wants: true } },
    ],
    [
      'com.example.renamed',
      [
        { args: ['one'], kwargs: {} },
        { args: ['two'], kwargs: {} },
      ],
      { args: [true], kwargs: {} },
    ],
    [
      'com.example.fails',
      [{ args: ['one'], kwargs: {} }],
      { error: 'com.example.error.broken', args: ['why'], kwargs: {} },
    ],
  ] as const) {
    it(`passes the progressive results of a callee on: ${procedure}`, async () => {
      expect(await pieces(procedure, 'x')).to.deep.equal({ found, answer })
    })
  }

  it('asks a callee for none where the caller wants none', async () => {
    const { args, kwargs } = await caller.call('com.example.counts')
    expect({ args, kwargs }).to.deep.equal({ args: ['all'], kwargs: { wants: false } })
  })

  it('cancels the call where a progressive result does not fit the document', async () => {
    interrupts = 0
    const { answer } = await pieces('com.example.unfit', 'x')
    expect(answer.error).to.be.a('string')
    await until('the callee is told', () => interrupts === 1)
  })

  it('cancels the call with that of the caller', async () => {
    interrupts = 0
    const { answer, cancel } = caller.begin('com.example.waits', {
      progress_callback: () => cancel('kill'),
    })
    expect((await answer).error).to.equal('wamp.error.canceled')
    await until('the callee is told', () => interrupts === 1)
  })

  it('gives other bodies in chunks of at most 64 KiB', async () => {
    const { found } = await pieces('com.example.tail', 'bytes')
    const texts = found.map(({ args }) => String(args[0]))
    // JSON carries bytes as NUL and base64 (WAMP: Binary conversion of JSON)
    const sizes = texts.map((text) => Buffer.from(text.slice(1), 'base64').length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(150_000)
    expect(Math.max(...sizes)).to.be.at.most(65_536)
  })

  it('gives the whole list to a caller that wants no pieces', async () => {
    const { args } = await caller.call('com.example.tail', ['jsonl'])
    expect(args).to.deep.equal([[1, 'two', [3]]])
    const events = await caller.call('com.example.tail', ['sse'])
    expect(events.args).to.deep.equal([['one\ntwo', 'three', 'four']])
    const text = await caller.call('com.example.tail', ['text'])
    expect(text.args).to.deep.equal(['ü'.repeat(100)])
  })

  it('ends in an error where the response breaks off', async () => {
    const { found, answer } = await pieces('com.example.tail', 'cut')
    expect(found.map(({ args }) => args)).to.deep.equal([[1]])
    expect(answer.error).to.equal('service.error.bad_gateway')
  })

  it('ends in an error where a line is no JSON', async () => {
    const { found, answer } = await pieces('com.example.tail', 'broken')
    expect(found).to.have.length(1)
    expect([answer.error, answer.args]).to.deep.equal([
      'service.error.bad_gateway',
      ['a line of the response is no JSON'],
    ])
  })

  it('tells an error of the upstream with its body', async () => {
    for (const { answer } of [await pieces('com.example.tail', 'none')]) {
      expect(answer.error).to.equal('service.error.not_found')
      expect(answer.kwargs).to.deep.equal({ status_code: 404, body: { why: 'none' } })
    }
    const whole = await caller.call('com.example.tail', ['none'])
    expect(whole.kwargs).to.deep.equal({ status_code: 404, body: { why: 'none' } })
  })
})
