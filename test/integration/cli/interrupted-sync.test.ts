/** A sync that the gateway interrupts: how it ends, what it says, and that another one goes on. */
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { runCli } from '#test/unit/cli/terminal.ts'
import { documentOf, FolderFixture } from './folder-fixture.ts'

describe('a sync that is interrupted', () => {
  const fixture = new FolderFixture()
  let proxy: Server
  /** Called before each load; false: it is answered as by a gateway that stops. */
  let admit: () => Promise<boolean>

  before(async () => {
    await fixture.start()
    proxy = createServer(async (incoming, outgoing) => {
      const { method, url, headers } = incoming
      if (method === 'POST' && url === '/api_specs' && !(await admit())) {
        outgoing.writeHead(503, { 'content-type': 'application/json' })
        outgoing.end('{"code": "service.error.unavailable", "message": "this node is stopping"}')
        return
      }
      const target = new URL(url ?? '/', fixture.gateway.adminUrl)
      const forwarded = request(target, { method, headers: { ...headers, host: target.host } })
      forwarded.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      })
      incoming.pipe(forwarded)
    }).listen(0, '127.0.0.1')
    await once(proxy, 'listening')
  })
  after(async () => {
    proxy.close()
    proxy.closeAllConnections()
    await fixture.stop()
  })
  beforeEach(() => fixture.begin())
  afterEach(() => fixture.end())

  const write = (name: string, body: string) =>
    fixture.write(`${name}.json`, documentOf(`com.example.${name}`, { [`/${name}`]: body }))
  const sync = (...args: readonly string[]) => {
    const { port } = proxy.address() as AddressInfo
    return runCli(['sync', ...args, '--admin', `http://127.0.0.1:${port}`, fixture.folder])
  }
  const bodies = () => Promise.all(['/a', '/b', '/c'].map((path) => fixture.bodyOf(path)))
  const outcomesOf = (value: { documents: { id: string; outcome: string }[] }) =>
    value.documents.map(({ id, outcome }) => `${outcome} ${id.at(-1)}`)

  it('ends with 75 and says how many changes are made; another one makes the rest', async () => {
    for (const name of ['a', 'b', 'c']) write(name, name)
    let count = 0
    admit = async () => count++ < 2
    expect(await sync()).to.deep.equal({
      ...{ code: 75, out: '' },
      err: 'this node is stopping; 2 of 3 changes are made, and another sync goes on\n',
    })
    expect(await bodies()).to.deep.equal(['a', 'b', 404])
    const { code, value } = await fixture.ask('sync')
    expect([code, outcomesOf(value)]).to.deep.equal([0, ['created c', 'same a', 'same b']])
  })

  it('does not overwrite what somebody else has loaded since the comparison: 412, and the rest is loaded', async () => {
    for (const name of ['a', 'b']) write(name, 'old')
    expect((await fixture.run('sync')).code).to.equal(0)
    for (const name of ['a', 'b', 'c']) write(name, 'mine')
    admit = async () => {
      for (const name of ['b', 'c']) {
        const document = documentOf(`com.example.${name}`, { [`/${name}`]: 'theirs' })
        expect((await fixture.gateway.load(document)).status).to.be.oneOf([200, 201])
      }
      admit = async () => true
      return true
    }
    const { code, out } = await sync('--format', 'json')
    const value = JSON.parse(out)
    expect([code, outcomesOf(value)]).to.deep.equal([1, ['refused c', 'changed a', 'refused b']])
    const messages = value.documents.flatMap(({ findings }: { findings: { message: string }[] }) =>
      findings.map(({ message }) => message.replace(/".*"/, '"…"')),
    )
    expect(messages).to.deep.equal([
      'If-None-Match: the current version has the ETag "…"',
      'If-Match: the current version has the ETag "…"',
    ])
    expect(await bodies()).to.deep.equal(['mine', 'theirs', 'theirs'])
  })
})
