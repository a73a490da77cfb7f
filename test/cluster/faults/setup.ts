/** What a company would run: Crossbar.io by docs/crossbar.md, one PostgreSQL, two gateways with two workers each, HAProxy by docs/clustering.md. */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { Session } from '#component/wamp/session.ts'
import { clusterKey, holdsWithin } from '#test/cluster/cluster.ts'
import { configurationFor, startHaproxy } from '#test/cluster/haproxy.ts'
import { type DocumentedRouter, startDocumentedRouter } from '#test/python/crossbar-page.ts'
import { freePort } from '#test/support/free-port.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import type { SmallDisk } from '#test/support/small-disk.ts'
import { FaultGateway } from './gateway.ts'

/** Everything that runs. */
export interface FaultSetup {
  readonly postgres: Postgres
  readonly disk: SmallDisk
  readonly router: DocumentedRouter
  /** The one that faults happen to, and the one that must go on. */
  readonly gateways: readonly [struck: FaultGateway, spared: FaultGateway]
  /** Where clients come in. */
  readonly url: string
  stop(): Promise<void>
}

export const realm_uri = 'com.example.realm'
export const password = 'the same for all of them'
/** Room for the tables and for the loads of a long run. Bytes. */
const diskSize = 96_000_000

/** Users that log in: one family of refresh tokens each. */
export const users = ['ada', 'bob', 'eve', 'joe']

const realm = {
  uri: realm_uri,
  authmethods: ['wampcra', 'ticket', 'password', 'oauth2'],
  users: [
    { username: 'app', password, groups: ['api_clients'] },
    ...users.map((username) => ({ username, password, groups: ['resource_owners', 'staff'] })),
    { username: 'backend', password, groups: ['backend'] },
  ],
  groups: [{ name: 'staff' }, { name: 'backend' }],
  sources: ['wampcra', 'ticket', 'oauth2'].map((authmethod) => ({
    ...{ usernames: 'all', authmethod, cidr: '0.0.0.0/0' },
  })),
  grants: [
    { permissions: ['wamp.call'], roles: ['staff'], uri: 'com.example.', match: 'prefix' },
    { permissions: ['wamp.register'], roles: ['backend'], uri: 'com.example.', match: 'prefix' },
  ],
}

const procedure = 'com.example.orders'

const orders = {
  ...{ id: 'com.example.orders', host: '_', realm_uri },
  versions: {
    one: {
      base_path: '/v1',
      paths: {
        '/static': { get: { action: { type: 'static', body: 'ok' }, response: {} } },
        '/orders': {
          defaults: {
            security: { type: 'oauth2', flow: 'resource_owner_password_credentials' },
          },
          get: {
            action: { type: 'wamp_call', procedure },
            response: {
              on_result: { body: '{{action.result.args |> head}}' },
              on_error: {
                status_code: '{{status_codes |> get({{action.error.error_uri}}, 500)}}',
                body: '{{action.error.error_uri}}',
              },
            },
          },
        },
      },
      defaults: { security: { type: 'oauth2', flow: 'resource_owner_password_credentials' } },
    },
  },
}

/** However long it takes: passwords are hashed, beside everything else that starts. */
async function load(gateway: FaultGateway, path: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const options = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${gateway.adminUrl}${path}`, options)
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
}

/** Callees of the realm, which register again by themselves. */
async function startBackend(url: string): Promise<Session> {
  const session = componentSession({
    ...{ serializer: 'json', clock: systemClock, log: openLog('silent'), url, realm_uri },
    auth: { authmethod: 'wampcra', authid: 'backend', secret: password },
  })
  await session.joined(60_000)
  const isRegistered = () =>
    session
      .register(procedure, () => ({ args: ['orders'], kwargs: {} }))
      .then(
        () => true,
        () => false,
      )
  if (!(await holdsWithin(60_000, isRegistered))) throw new Error('the backend has not registered')
  return session
}

/** Starts all of it; resolves when a client is served. */
export async function startFaultSetup(): Promise<FaultSetup> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-faults-'))
  const postgres = await startPostgres()
  const { url: storeUrl, disk } = await postgres.smallDatabase(diskSize)
  const router = await startDocumentedRouter()
  const { authmethod, authid = '', secret = '' } = router.auth
  const settings = {
    'store.url': storeUrl,
    'wamp.url': router.gatewayUrl,
    'wamp.auth.authmethod': authmethod,
    'wamp.auth.authid': authid,
    'wamp.auth.secret': String(secret),
    'cluster.key': clusterKey,
    'gateway.drain_delay': '1500',
    workers: '2',
  }
  const gateways = [
    await FaultGateway.make('gateway-1', settings),
    await FaultGateway.make('gateway-2', settings),
  ] as const
  for (const gateway of gateways) await gateway.start()
  await load(gateways[0], '/realms', realm)
  await load(gateways[0], '/api_specs', orders)
  const backend = await startBackend(router.crossbar.url)
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configurationFor(port, gateways))
  const haproxy: ChildProcess = await startHaproxy(file)
  const url = `http://127.0.0.1:${port}`
  const answers = async () =>
    (await fetch(`${url}/v1/static`).catch(() => undefined))?.status === 401
  if (!(await holdsWithin(60_000, answers))) throw new Error('HAProxy serves nobody')
  return {
    ...{ postgres, disk, router, gateways, url },
    async stop() {
      haproxy.kill('SIGTERM')
      await backend.leave()
      for (const gateway of gateways) await gateway.discard()
      await router.stop()
      await postgres.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
