/** Cookies at `/ws`: pages of listed origins act by the ticket in them, no other page does, and no other router sees it. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { WebSocket, WebSocketServer } from 'ws'
import { Policy } from '#component/realm/policy.ts'
import { Router } from '#component/router/router.ts'
import { proofPorts, realmsWith } from '#test/unit/realm/doubles.ts'
import { type Fixture, open } from './fixture.ts'

const realm_uri = 'com.example.realm'
const cookie = `a=b; service_ticket_${realm_uri}=the.ticket.x; __Host-service_login_1=y`
const listed = 'https://app.example'

/** Opens a WebSocket as a browser does. */
async function browse(port: number, origin: string | undefined): Promise<WebSocket> {
  const headers = { cookie, ...(origin !== undefined && { origin }) }
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, ['wamp.2.json'], { headers })
  await once(socket, 'open')
  return socket
}

/** What the router answers to HELLO. */
async function hello(socket: WebSocket): Promise<unknown[]> {
  const details = { roles: { caller: {} }, authmethods: ['cookie'] }
  const answer = once(socket, 'message')
  socket.send(JSON.stringify([1, realm_uri, details]))
  const [data] = await answer
  socket.terminate()
  return JSON.parse(String(data))
}

/** A router elsewhere that only notes the handshakes. */
async function listeningRouter(listen: (server: ReturnType<typeof createServer>) => void) {
  const seen: IncomingHttpHeaders[] = []
  const sockets = new WebSocketServer({ noServer: true })
  const server = createServer()
  server.on('upgrade', (request, socket, head) => {
    seen.push(request.headers)
    sockets.handleUpgrade(request, socket, head, () => undefined)
  })
  listen(server)
  await once(server, 'listening')
  return { seen, server }
}

describe('/ws of the embedded router', () => {
  let fixture: Fixture
  let router: Router

  before(async () => {
    const { realms } = await realmsWith()
    await realms.load({ uri: realm_uri, authmethods: ['cookie', 'oidcrp'] })
    const policy = new Policy({
      ...proofPorts(),
      ...{ realms, clock: { now: () => 0 }, componentRealm: 'service.gateway' },
      admitsStrangers: () => false,
      tickets: {
        verifyCookie: (_realm, field) =>
          field === cookie
            ? { authid: 'zoe', authroles: ['staff'], authmethod: 'oidcrp' }
            : undefined,
        isKnown: () => true,
      },
    })
    router = new Router({ policy })
    fixture = await open({
      webSocket: {
        kind: 'embedded',
        accept: (request, socket, head, peer, field) =>
          router.handleUpgrade(request, socket, head, peer, { cookie: field }),
      },
      gatewayOptions: { ws_allowed_origins: [listed, '*'] },
    })
  })
  after(async () => {
    await fixture.stop()
    await router.close()
  })

  it('makes who has logged in a member of the realm, for pages of a listed origin', async () => {
    const [type, , details] = await hello(await browse(fixture.port, listed))
    expect(type).to.equal(2)
    expect(details).to.include({ authid: 'zoe', authrole: 'staff', authmethod: 'oidcrp' })
  })

  for (const origin of [
    undefined,
    'https://evil.com',
    'https://app.example.evil.com',
    'null',
    '*',
  ]) {
    it(`does not for ${origin ?? 'who comes from no page'}, also where "*" admits it`, async () => {
      const [type, , reason] = await hello(await browse(fixture.port, origin))
      expect([type, reason]).to.deep.equal([3, 'wamp.error.no_matching_auth_method'])
    })
  }
})

describe('/ws of a router in another process', () => {
  const closers: (() => unknown)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })

  it('tells the own one of listed pages only which cookies they have', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ws-cookies-'))
    const socketPath = `${folder}/router`
    const { seen, server } = await listeningRouter((made) => made.listen(socketPath))
    closers.push(
      () => server.close(),
      () => rmSync(folder, { recursive: true }),
    )
    const fixture = await open({
      webSocket: { kind: 'pipe', url: 'ws://router/ws', socketPath },
      gatewayOptions: { ws_allowed_origins: [listed, '*'] },
    })
    closers.unshift(() => fixture.stop())
    for (const origin of [listed, 'https://evil.com', undefined]) {
      const socket = await browse(fixture.port, origin)
      socket.terminate()
    }
    expect(seen.map((headers) => headers.cookie)).to.deep.equal([cookie, undefined, undefined])
  })

  it('gives another router the cookies that are not of the gateway', async () => {
    const { seen, server } = await listeningRouter((made) => made.listen(0, '127.0.0.1'))
    closers.push(() => server.close())
    const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
    const fixture = await open({
      webSocket: { kind: 'pipe', url },
      gatewayOptions: { ws_allowed_origins: [listed] },
    })
    closers.unshift(() => fixture.stop())
    const socket = await browse(fixture.port, listed)
    socket.terminate()
    expect(seen.map((headers) => headers.cookie)).to.deep.equal(['a=b'])
  })
})
