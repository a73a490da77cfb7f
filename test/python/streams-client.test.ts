/** The Python client of docs/streams.md: it resumes where its connection broke, and stops where to ask again is of no use. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { TcpProxy } from '#test/support/peers/tcp-proxy.ts'
import { until } from '#test/support/running/until.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/streams.md'), 'utf8')

/** What the page shows, and a loop that prints each event as `[name, data]`. */
const program = `${/^```python\n((?:(?!^```).)*^def events.*?)^```/ms.exec(page)?.[1] ?? ''}
import sys
for event in events(sys.argv[1]):
    print(json.dumps(event), flush=True)
`

const realm = 'com.example.test'
const topic = 'com.example.test.on_python'
const procedure = 'com.example.test.for_python'

const document = {
  id: 'com.example.python',
  host: '_',
  realm_uri: realm,
  versions: {
    1: {
      base_path: '/python',
      paths: {
        '/changes': {
          get: {
            action: { type: 'wamp_subscribe', topic, retry: 100 },
            response: { on_event: { body: '{{action.event.args |> head}}' }, on_error: {} },
          },
        },
        '/work': {
          get: {
            action: { type: 'wamp_call', procedure },
            response: {
              on_progress: { event: 'step', body: '{{action.progress.args |> head}}' },
              on_result: { body: '{{action.result.args |> head}}' },
              on_error: {},
            },
          },
        },
      },
    },
  },
}

describe('the Python client of docs/streams.md', () => {
  let gateway: TestGateway
  let link: TcpProxy
  let peer: RouterPeer
  let child: ChildProcessWithoutNullStreams

  before(async () => {
    gateway = await startGateway()
    link = await TcpProxy.open(Number(new URL(gateway.url).port))
    peer = await RouterPeer.join({ url: gateway.routerUrl, realm })
  })
  after(async () => {
    peer?.cut()
    await link?.close()
    await gateway?.stop()
  })

  beforeEach(async () => {
    await gateway.mustLoad(document)
  })
  afterEach(() => child?.kill())

  const start = (path: string) => {
    child = spawn('python3', ['-c', program, `http://127.0.0.1:${link.port}${path}`])
    const ended = Promise.all([once(child, 'close') as Promise<[number]>, text(child.stderr)])
    let printed = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk
    })
    const events = () =>
      printed
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    return { events, ended: ended.then(([[code], stderr]) => ({ code, stderr })) }
  }
  const publish = (number: number) =>
    peer.ask(16, number + 1, { acknowledge: true }, topic, [number])

  it('reads each event once while its connection breaks, and raises when the stream is gone', async () => {
    const { events, ended } = start('/python/changes')
    const read = () => events().filter(([, data]) => data !== 0)
    await until('the stream is open', async () => {
      await publish(0)
      return events().length > 0
    })
    await publish(1)
    await until('it is read', () => read().length === 1)
    link.cut()
    for (const number of [2, 3]) await publish(number)
    link.heal()
    await publish(4)
    await until('all are read', () => read().length >= 4)
    expect(read()).to.deep.equal([1, 2, 3, 4].map((number) => ['message', number]))
    const deleted = await send(gateway.adminUrl, `/api_specs/${document.id}`, { method: 'DELETE' })
    expect(deleted.status).to.equal(204)
    const { code, stderr } = await ended
    expect(events().at(-1)).to.deep.equal(['end', { code: 'gone' }])
    expect(code).to.equal(1)
    expect(stderr).to.match(/HTTP Error 404: Not Found\n$/)
  })

  it('reads the progress of a call and its result, and does not call again', async () => {
    await peer.register(procedure)
    const { events, ended } = start('/python/work')
    const [, invocation] = await peer.next()
    peer.send(70, invocation, { progress: true }, [1])
    peer.send(70, invocation, { progress: true }, [2])
    peer.send(70, invocation, {}, ['done'])
    expect(await ended).to.deep.equal({ code: 0, stderr: '' })
    expect(events()).to.deep.equal([
      ['step', 1],
      ['step', 2],
      ['result', 'done'],
    ])
    expect(await peer.drain()).to.deep.equal([])
  })
})
