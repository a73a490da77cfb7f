/** Two gateways without a fault that Prometheus watches, with all that stands around them, and a load on both. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { openEventStream } from '#test/support/event-stream.ts'
import { basicOf } from '#test/support/examples/example-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { FakeIssuer } from '#test/unit/issuer/fake-issuer.ts'
import { openCallee } from './callee.ts'
import { realmDocument, sound, users } from './documents.ts'
import type { Repeated } from './repeated.ts'

/** What runs. */
export interface SoundGateways {
  /** With its own router: users can log in at it. */
  readonly alone: TestGateway
  /** On {@link router}. */
  readonly shared: TestGateway
  /** Lets everybody in, but no users. */
  readonly router: TestRouter
  /** The address of an upstream, without scheme. */
  readonly upstream: string
  /** Of another issuer, which both accept. */
  readonly token: string
  stop(): Promise<void>
}

/** Answers /broken with 500, and /moody with 503 once in eight times. */
async function openUpstream(): Promise<Server> {
  let moods = 0
  const server = createServer((request, response) => {
    if (request.url === '/broken') response.statusCode = 500
    if (request.url === '/moody') response.statusCode = moods++ % 8 === 0 ? 503 : 200
    response.end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Starts them, with a document of which everything works. */
export async function startSoundGateways(): Promise<SoundGateways> {
  const server = await openUpstream()
  const upstream = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const router = await openEmbeddedRouter()
  const alone = await startGateway({ node: 'alone' }, { isEmbedded: true })
  const shared = await startGateway({ 'wamp.url': router.url, node: 'shared' })
  const issuer = await FakeIssuer.open(Date.now)
  const document = realmDocument({ jwt_issuers: { main: issuer.settings } })
  const callees: SupervisedSession[] = []
  for (const gateway of [alone, shared]) {
    callees.push(await openCallee(gateway.routerUrl))
    const realm = await send(gateway.adminUrl, '/realms', { method: 'POST', body: document })
    if (realm.status >= 300) throw new Error(realm.text)
    const { status, body } = await gateway.load(sound(upstream))
    if (status !== 201) throw new Error(JSON.stringify(body))
  }
  return {
    ...{ alone, shared, router, upstream, token: await issuer.token() },
    async stop() {
      await Promise.all(callees.map((callee) => callee.leave()))
      await Promise.all([alone.stop(), shared.stop()])
      await router.stop()
      server.close()
      await issuer.close()
    },
  }
}

/** Asks both for everything that they do: several times a second. */
export function load({ alone, shared, token }: SoundGateways, repeated: Repeated): void {
  const paths = ['call', 'publish', 'forward', 'retry', 'kept', 'checked/1', 'checked/letters']
  for (const { url } of [alone, shared])
    for (const path of paths) repeated.start(100, () => send(url, `/sound/${path}`))
  // a user more each time: the session of each has to join
  let asked = 0
  repeated.start(500, () => {
    const user = users[asked++ % users.length] ?? ''
    return send(alone.url, '/sound/mine', { headers: { authorization: basicOf(user, user) } })
  })
  repeated.start(300, () =>
    send(alone.url, '/sound/foreign', { headers: { authorization: `Bearer ${token}` } }),
  )
  // comes back after an event that nobody knows any more, is told of the gap, reads an event and leaves
  repeated.start(300, async () => {
    const headers = { 'last-event-id': 'unknown' }
    const stream = await openEventStream(`${alone.url}/sound/events`, { headers })
    await stream.next()
    stream.close()
  })
}

/** Loads a document anew, as often as once in some seconds, so that nodes have something to tell each other. */
export function reload({ shared, upstream }: SoundGateways, repeated: Repeated): void {
  let version = 0
  repeated.start(1000, () => shared.load({ ...sound(upstream), title: `version ${version++}` }))
}
