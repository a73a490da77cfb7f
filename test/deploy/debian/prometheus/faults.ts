/** Faults that are made for real while Prometheus watches: in documents, and of gateways that have one or more each. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '#component/clock.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import { openEventStream } from '#test/support/event-stream.ts'
import { basicOf } from '#test/support/examples/example-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { startKillableRouter } from '#test/support/peers/killable-router.ts'
import { until } from '#test/support/running/until.ts'
import { procedures, topic } from './callee.ts'
import { faulty, manyRoutes, realmDocument, users } from './documents.ts'
import type { Repeated } from './repeated.ts'
import type { Prometheus } from './server.ts'
import type { SoundGateways } from './sound-gateways.ts'

/** An alert that fires: its name, and its labels without job and severity. */
export function firing(alert: string, labels: Readonly<Record<string, string>>): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}=${value}`)
  return [alert, ...all.sort()].join(' ')
}

/** Faults that last. */
interface Made {
  /** What {@link firing} says of the alerts that fire, and of no other ones. */
  readonly alerts: readonly string[]
  stop?(): Promise<void>
}

/** Where a fault is made. */
interface Scene {
  readonly sound: SoundGateways
  readonly prometheus: Prometheus
  readonly repeated: Repeated
  /** For files of gateways. */
  readonly folder: string
}

const wrong = basicOf('user-0', 'not the password')
/** Limits of gateways: connections of one, series of another, which is the least there may be. */
const [connections, series] = [10, 100]

/** Loads a document with a fault, and asks for it. */
async function ask(
  scene: Scene,
  gateway: TestGateway,
  of: keyof ReturnType<typeof faulty>,
  ms: number,
  clients = 1,
  headers = {},
) {
  const document = faulty(scene.sound.upstream)[of]
  const { status, body } = await gateway.load(document)
  if (status !== 201) throw new Error(JSON.stringify(body))
  const path = `${document.versions[1].base_path}/it`
  for (let client = 0; client < clients; client += 1)
    scene.repeated.start(ms, () => send(gateway.url, path, { headers }))
  return { api: document.id, version: '1' }
}

/** Documents that fail beside one that does not. */
async function documents(scene: Scene): Promise<Made> {
  const { alone, shared, upstream } = scene.sound
  const failing = await ask(scene, alone, 'upstream', 100)
  const broken = await ask(scene, alone, 'procedure', 100)
  const slow = await ask(scene, alone, 'slow', 10, 3)
  await ask(scene, alone, 'mismatch', 100)
  // they hardly pause, so that at any time one is performed, ten wait, and the others are refused
  const pool = await ask(scene, alone, 'pool', 20, 14)
  const limited = await ask(scene, alone, 'limited', 100)
  await ask(scene, shared, 'user', 100, 1, { authorization: wrong })
  return {
    alerts: [
      firing('WampGatewayErrors', failing),
      firing('WampGatewayUpstreamFails', { ...failing, upstream: `http://${upstream}` }),
      firing('WampGatewayProcedureFails', { ...broken, procedure: procedures.broken }),
      firing('WampGatewaySlow', slow),
      firing('WampGatewayResponsesMismatch', { route: '/mismatch/it' }),
      firing('WampGatewayErrors', pool),
      firing('WampGatewayPoolSaturated', { ...pool, instance: 'alone' }),
      firing('WampGatewayPoolRefuses', { ...pool, instance: 'alone' }),
      firing('WampGatewayRateLimited', { ...limited, route: '/limited/it', limit: 'few' }),
      firing('WampGatewayLoginsRefused', { authmethod: 'basic' }),
    ],
  }
}

/** A gateway that has been scraped, and ends. */
async function gone({ prometheus }: Scene): Promise<Made> {
  const gateway = await startGateway({}, { isEmbedded: true })
  prometheus.scrape('gone', gateway.adminUrl)
  await gateway.stop()
  return { alerts: [firing('WampGatewayDown', { instance: 'gone' })] }
}

/** A gateway that stops and never gets on with it; its certificate ends within a day. */
async function leaving({ sound, prometheus, folder }: Scene): Promise<Made> {
  const drainDelay = 987_654_321
  let goOn = () => {}
  const clock: Clock = {
    ...systemClock,
    after(ms, callback) {
      if (ms !== drainDelay) return systemClock.after(ms, callback)
      goOn = callback
      return () => {}
    },
  }
  const { cert, key } = certificate(folder, 'leaving', 1)
  const settings = {
    'wamp.url': sound.router.url,
    'gateway.tls.cert': cert,
    'gateway.tls.key': key,
  }
  const gateway = await startGateway(settings, { clock })
  prometheus.scrape('leaving', gateway.adminUrl)
  const stopped = gateway.component.stop(drainDelay)
  return {
    alerts: [
      firing('WampGatewayNotReady', { instance: 'leaving' }),
      firing('WampGatewayCertificateExpires', { instance: 'leaving', certificate: cert }),
    ],
    async stop() {
      goOn()
      await stopped
    },
  }
}

/** A gateway that was given a bad file; its certificate ends within two weeks, the next one was refused, and its connections are taken. */
async function full({ sound, prometheus, repeated, folder }: Scene): Promise<Made> {
  const { cert, key } = certificate(folder, 'full', 5)
  const file = join(folder, 'refused.json')
  writeFileSync(file, '{"id": "com.example.refused"}')
  const gateway = await startGateway({
    ...{ 'wamp.url': sound.router.url, 'gateway.tls.cert': cert, 'gateway.tls.key': key },
    specs: JSON.stringify([file]),
    'limits.max_connections': String(connections),
    'limits.connections_per_address': String(connections),
  })
  const tls = gateway.component.tls()
  if (tls) gateway.component.useTls({ ...tls, refused: [cert] })
  prometheus.scrape('full', gateway.adminUrl)
  const { hostname, port } = new URL(gateway.url)
  const sockets: Socket[] = []
  repeated.start(200, () => {
    // more than may be; those that were refused or idle for too long are closed
    const alive = sockets.filter((socket) => !socket.closed)
    while (alive.length < connections + 2) {
      const socket = connect(Number(port), hostname).on('error', () => {})
      alive.push(socket)
    }
    sockets.splice(0, sockets.length, ...alive)
  })
  return {
    alerts: [
      firing('WampGatewayFilesRefused', { instance: 'full' }),
      firing('WampGatewayCertificateExpiresSoon', { instance: 'full', certificate: cert }),
      firing('WampGatewayCertificateRefused', { instance: 'full', certificate: cert }),
      firing('WampGatewayLimitNear', { instance: 'full', limit: 'limits.max_connections' }),
      firing('WampGatewayLimitRefuses', { instance: 'full', limit: 'limits.max_connections' }),
    ],
    async stop() {
      for (const socket of sockets) socket.destroy()
      await gateway.stop()
    },
  }
}

/** A gateway whose clock is ahead, whose users its router does not let in, which has few series, and a collector that is away. */
async function sick({ sound, prometheus, repeated }: Scene): Promise<Made> {
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + 12_000 }
  const settings = {
    ...{ 'wamp.url': sound.router.url, node: 'sick' },
    'limits.streams_per_address': '1',
    'metrics.max_series': String(series),
    // nothing listens there
    ...{
      'telemetry.traces': 'otlp',
      'telemetry.sample': '1',
      'telemetry.endpoint': 'http://127.0.0.1:1',
    },
  }
  const gateway = await startGateway(settings, { clock })
  prometheus.scrape('sick', gateway.adminUrl)
  const paths = ['call', 'publish', 'forward', 'retry', 'checked/1']
  for (const path of paths) {
    // has its series before the others take what is left
    await send(gateway.url, `/sound/${path}`)
    repeated.start(200, () => send(gateway.url, `/sound/${path}`))
  }
  // one stream is open until its document is loaded again, and meanwhile the second one is refused
  for (let count = 0; count < 2; count += 1)
    repeated.start(100, async () => (await openEventStream(`${gateway.url}/sound/events`)).ended)
  // has its series, too
  const hasEnded = async () =>
    (await send(gateway.adminUrl, '/metrics')).text.includes('reason="reloaded"')
  await until('a stream has ended', hasEnded)
  const routes = manyRoutes(series + 20)
  await sound.shared.load(routes)
  let asked = 0
  repeated.start(50, () => {
    asked += 1
    return send(gateway.url, `${routes.versions[1].base_path}/${asked % (series + 20)}`)
  })
  // a gateway that starts has loaded the realms of the tests, which have no users
  await send(gateway.adminUrl, '/realms', { method: 'POST', body: realmDocument() })
  const [, user = ''] = users
  const headers = { authorization: basicOf(user, user) }
  repeated.start(200, () => send(gateway.url, '/sound/mine', { headers }))
  return {
    alerts: [
      firing('WampGatewayClockWrong', { instance: 'sick' }),
      firing('WampGatewaySyncLag', { instance: 'sick' }),
      firing('WampGatewayUserSessionsRefused', { instance: 'sick' }),
      firing('WampGatewaySeriesOverflow', {
        instance: 'sick',
        metric: 'gateway_http_request_duration_seconds',
      }),
      firing('WampGatewaySpansDropped', { instance: 'sick' }),
    ],
    stop: () => gateway.stop(),
  }
}

/** A gateway that loses its router again and again, and then for good. */
async function lost(scene: Scene): Promise<Made> {
  const router = await startKillableRouter()
  const gateway = await startGateway({ 'wamp.url': router.url, node: 'lost' })
  scene.prometheus.scrape('lost', gateway.adminUrl)
  const publication = await ask(scene, gateway, 'publication', 100)
  /** How often the session that has joined again least often has done so. */
  const reconnects = async () => {
    const { text } = await send(gateway.adminUrl, '/metrics')
    const found = text.matchAll(/^gateway_router_session_reconnects_total\{.*\} (\d+)$/gm)
    return Math.min(...[...found].map(([, count]) => Number(count)))
  }
  // what has happened before the first scrape is no increase
  const isSeen = async () =>
    (await scene.prometheus.query('gateway_router_session_reconnects_total{instance="lost"} == 0'))
      .length === 2
  await until('both sessions are scraped', isSeen, 30_000)
  for (let count = 1; count <= 5; count += 1) {
    await router.kill()
    await router.restart()
    await until('the sessions have joined again', async () => (await reconnects()) >= count)
  }
  await router.kill()
  const session = (realm: string, purpose: string) =>
    ['WampGatewayRouterAway', 'WampGatewayRouterUnsteady'].map((alert) =>
      firing(alert, { instance: 'lost', purpose, realm }),
    )
  return {
    alerts: [
      ...session('service.gateway', 'management'),
      ...session('com.example.test', 'requests'),
      firing('WampGatewayPublicationsFail', { ...publication, topic }),
    ],
    async stop() {
      await gateway.stop()
      await router.stop()
    },
  }
}

function certificate(folder: string, name: string, days: number) {
  const end = new Date(Date.now() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '')
  const own = mkdtempSync(join(folder, name))
  return writeCertificate(own, end)
}

/** Makes all faults at once: each has labels of its own. */
export async function makeFaults(scene: Omit<Scene, 'folder'>): Promise<Required<Made>> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-faults-'))
  const all = { ...scene, folder }
  const made: Made[] = []
  for (const make of [documents, gone, leaving, full, sick, lost]) made.push(await make(all))
  return {
    alerts: made.flatMap(({ alerts }) => alerts),
    async stop() {
      await Promise.all(made.map(({ stop }) => stop?.()))
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
