/** A gateway that knows users by client certificates, a backend that tells who calls it, and the clients. */
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { run } from '#test/support/command.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import type { Authority, IssuedPair } from './authority.ts'

const realm = 'com.example.mtls'

/** The user whom certificates name by a DNS name. */
export const billing = 'billing.example.com'
/** The user whom certificates name by a URI. */
export const workload = 'spiffe://example.com/billing'

/** The path of each way to name a user. */
const paths = { '/dns': 'san_dns', '/uri': 'san_uri', '/cn': 'cn', '/fingerprint': 'fingerprint' }

const document = (upstream: string) => ({
  ...{ id: realm, host: '_', realm_uri: realm },
  versions: {
    '1': {
      base_path: '/v1',
      paths: {
        ...Object.fromEntries(
          Object.entries(paths).map(([path, authid]) => [
            path,
            {
              security: { type: 'mtls', authid },
              get: {
                action: { type: 'wamp_call', procedure: `${realm}.who` },
                response: { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} },
              },
            },
          ]),
        ),
        '/open': {
          get: {
            action: { type: 'static', body: 'open' },
            response: { on_result: {}, on_error: {} },
          },
        },
        '/forward': {
          get: {
            action: { type: 'forward', host: upstream, path: '/' },
            response: { on_result: {}, on_error: {} },
          },
        },
      },
    },
  },
})

/** What a certificate of {@link billing} says. */
export const ofBilling = { name: 'ada', dns: [billing], uri: [workload], usage: 'client' } as const

/** A certificate in DER as `Client-Cert` has it (RFC 9440). */
export const fieldOf = (cert: string): string => `:${cert.replace(/-----[^-]+-----|\s/g, '')}:`

/** The gateway and what it logs. */
export interface ClientGateway {
  readonly gateway: TestGateway
  readonly folder: string
  /** Why logins were refused since this was asked last. */
  reasons(): string[]
  /** Writes a certificate, and what it is signed by, for curl. */
  write(name: string, pair: Pick<IssuedPair, 'cert' | 'key'>, others?: string): readonly string[]
  /** Asks with curl, a client that knows nothing of this code: `[status, body]`. */
  curl(path: string, ...options: readonly string[]): Promise<[number, string]>
  stop(): Promise<void>
}

/**
 * Starts it on its own router.
 * @param root issues the certificates of listener and clients
 * @param user is known by this fingerprint
 */
export async function startClientGateway(
  root: Authority,
  settings: (folder: string) => Readonly<Record<string, string>>,
  { fingerprint = 'none', upstream = 'http://127.0.0.1:1', ca = root.cert, crl = '' } = {},
): Promise<ClientGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-clients-'))
  const write = (name: string, { cert, key }: Pick<IssuedPair, 'cert' | 'key'>, others = '') => {
    const [certFile, keyFile] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
    writeFileSync(certFile, cert + others)
    writeFileSync(keyFile, key)
    return ['--cert', certFile, '--key', keyFile]
  }
  writeFileSync(join(folder, 'ca.pem'), ca)
  writeFileSync(join(folder, 'crl.pem'), crl)
  write('server', root.issue({ name: 'localhost', dns: ['localhost'], usage: 'server' }))
  write('second', root.issue({ name: 'b', dns: ['b.example'], usage: 'server' }))
  let logged = ''
  const log = openLog('warn', {
    write(line) {
      logged += line
    },
  })
  const router = { 'router.listen': '127.0.0.1:0', ...settings(folder) }
  const gateway = await startGateway(router, { isEmbedded: true, log })
  const users = [billing, workload, 'ada', fingerprint]
  const loaded = await send(gateway.adminUrl, '/realms', {
    method: 'POST',
    body: {
      uri: realm,
      authmethods: ['anonymous'],
      users: users.map((username) => ({ username, groups: ['staff'] })),
      grants: [
        { permissions: ['wamp.call'], roles: ['staff'], uri: `${realm}.who` },
        { permissions: ['wamp.register'], roles: ['anonymous'], uri: `${realm}.who` },
      ],
    },
  })
  expect(loaded.status, loaded.text).to.equal(201)
  await gateway.mustLoad(document(upstream))
  const backend = await RouterPeer.join({ url: gateway.routerUrl, realm })
  await backend.register(`${realm}.who`)
  backend.webSocket.on('message', (data) => {
    const [type, request, , details] = JSON.parse(String(data))
    if (type === 68) backend.send(70, request, {}, [details.caller_authid])
  })
  return {
    ...{ gateway, folder, write },
    reasons() {
      const lines = logged.split('\n').filter((line) => line.includes('login refused'))
      logged = ''
      return lines.map((line) => (JSON.parse(line) as { readonly reason: string }).reason)
    },
    async curl(path, ...options) {
      const url = `${gateway.url.replace('127.0.0.1', 'localhost')}/v1${path}`
      const common = ['-4', '-sS', '-w', '\n%{http_code}', '--cacert', join(folder, 'ca.pem')]
      const { stdout, stderr } = await run('curl', [...common, ...options, url], folder)
      const at = stdout.lastIndexOf('\n')
      if (at < 0) throw new Error(stderr)
      return [Number(stdout.slice(at + 1)), stdout.slice(0, at)]
    },
    async stop() {
      backend.cut()
      await gateway.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

/** The status of a GET on a connection that stays open. */
export async function statusOn(socket: TLSSocket, path: string): Promise<number> {
  socket.write(`GET /v1${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  let text = ''
  while (!text.includes('\r\n\r\n')) text += String((await once(socket, 'data'))[0])
  return Number(text.split(' ', 2)[1])
}
