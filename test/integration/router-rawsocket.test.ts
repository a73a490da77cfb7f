/** `router.rawsocket`: backends reach the embedded router of a gateway by RawSocket. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { readConfig } from '#component/config/config.ts'
import { RawPeer } from '#test/contract/router/raw-peer.ts'
import { freePort } from '#test/support/free-port.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const realm = 'com.example.test'

const document = {
  id: 'com.example.raw',
  realm_uri: realm,
  host: '_',
  versions: {
    1: {
      base_path: '/raw',
      paths: {
        '/:name': {
          get: {
            action: {
              ...{ type: 'wamp_call', procedure: 'com.example.raw.greet' },
              args: ['{{request.bindings.name}}'],
            },
            response: { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} },
          },
        },
      },
    },
  },
}

describe('router.rawsocket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-rs-'))
  const path = join(folder, 'router.sock')
  let gateway: TestGateway | undefined
  let port: number

  const start = async (settings: Record<string, string> = {}) => {
    port = await freePort()
    const rawsocket = JSON.stringify([`unix:${path}`, `rs://127.0.0.1:${port}`])
    gateway = await startGateway(
      { 'router.rawsocket': rawsocket, ...settings },
      { isEmbedded: true },
    )
    return gateway
  }
  afterEach(async () => {
    await gateway?.stop()
    gateway = undefined
  })
  after(() => rmSync(folder, { recursive: true }))

  for (const [where, options] of [
    ['a Unix socket', () => ({ path })],
    ['TCP', () => ({ host: '127.0.0.1', port })],
  ] as const) {
    it(`serves a callee that comes over ${where} to HTTP clients`, async () => {
      const { url, mustLoad } = await start()
      await mustLoad(document)
      const callee = new RawPeer(options())
      await callee.greet('msgpack')
      expect((await callee.join(realm))[0]).to.equal(2)
      expect((await callee.ask(64, 1, {}, 'com.example.raw.greet'))[0]).to.equal(65)
      const answer = fetch(`${url}/raw/Ada`)
      const [code, request, , , args] = await callee.next()
      expect([code, args]).to.deep.equal([68, ['Ada']])
      callee.send(70, request, {}, [{ hello: 'Ada' }])
      expect(await (await answer).json()).to.deep.equal({ hello: 'Ada' })
      const [goodbye] = await Promise.all([callee.next(), gateway?.stop()])
      gateway = undefined
      expect(goodbye[0]).to.equal(6)
      expect(existsSync(path)).to.equal(false)
    })
  }

  it('replaces the socket of a process that was killed', async () => {
    const listens = "require('net').createServer().listen(process.argv[1], () => console.log('up'))"
    const child = spawn(process.execPath, ['-e', listens, path])
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(existsSync(path)).to.equal(true)
    await start()
    const peer = new RawPeer({ path })
    expect(await peer.greet()).to.equal('7ff10000')
    peer.socket.destroy()
  })

  it('does not take the socket of another process away', async () => {
    const other = createServer((socket) => socket.end())
    await new Promise<void>((resolve) => other.listen(path, resolve))
    const failure = await start().catch((error: Error) => error)
    expect(String(failure)).to.include('option "router.rawsocket": cannot listen there')
    expect(existsSync(path)).to.equal(true)
    await new Promise((resolve) => other.close(resolve))
  })

  for (const [title, settings, message] of [
    ['TLS', { 'router.rawsocket': 'rss://127.0.0.1:1' }, 'router.rawsocket": must be rs://'],
    ['WebSocket', { 'router.rawsocket': 'ws://127.0.0.1:1' }, 'router.rawsocket": must be rs://'],
    ['a relative path', { 'router.rawsocket': 'unix:router' }, 'router.rawsocket": must be rs://'],
    [
      'one URL twice',
      { 'router.rawsocket': '["unix:/a","unix:/a"]' },
      'router.rawsocket.1": stands in the list before',
    ],
    [
      'another router',
      { 'router.rawsocket': 'unix:/a', 'wamp.url': 'ws://127.0.0.1:1/ws' },
      'router.rawsocket": cannot be combined with wamp.url',
    ],
  ] as const) {
    it(`refuses ${title}`, () => {
      expect(() => readConfig(undefined, {}, settings)).to.throw(message)
    })
  }
})
