/** Crossbar.io as a peer: one router worker, with its own HTTP bridge beside the WebSocket. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { realm } from './gateway.ts'
import { untilListening } from './native.ts'
import { type Process, root } from './processes.ts'
import { freePort, type Stage } from './stage.ts'

const version = '26.10.1'
const environment = join(root, '.venv')

/** The realms that a gateway and its API join. */
const realms = ['service.gateway', realm]

const everything = { call: true, register: true, publish: true, subscribe: true }

/** What a gateway logs in with where Crossbar.io asks it about its users. */
export const gatewayLogin = { authmethod: 'wampcra', authid: 'gateway', secret: 'a secret' }

/** A role that may do everything. */
const roleOf = (name: string, more: object = {}) => ({
  name,
  permissions: [{ uri: '', match: 'prefix', allow: everything, cache: true, ...more }],
})

const disclose = { caller: true, publisher: true }

/** Roles and logins by which users of a gateway join, as docs/crossbar.md shows them. */
const ofUsers = {
  roles: [roleOf('gateway', { disclose }), { name: 'user', authorizer: 'service.authorize' }],
  auth: {
    wampcra: {
      type: 'static',
      users: { gateway: { secret: gatewayLogin.secret, role: 'gateway' } },
    },
    ticket: {
      type: 'dynamic',
      authenticator: 'service.authenticate',
      'authenticator-realm': 'service.gateway',
      'authenticator-role': 'trusted',
    },
  },
}

const configuration = (port: number, asks: boolean) => ({
  version: 2,
  workers: [
    {
      type: 'router',
      realms: realms.map((name) => ({
        name,
        roles: [roleOf('anonymous'), ...(asks ? ofUsers.roles : [])],
      })),
      transports: [
        {
          type: 'web',
          endpoint: { type: 'tcp', interface: '127.0.0.1', port },
          paths: {
            '/': { type: 'json', value: {} },
            ws: {
              type: 'websocket',
              auth: {
                anonymous: { type: 'static', role: 'anonymous' },
                ...(asks && ofUsers.auth),
              },
            },
            call: { type: 'caller', realm, role: 'anonymous' },
          },
        },
      ],
    },
  ],
})

/** Why there is none; undefined: there is. */
export const crossbarMissing = existsSync(join(environment, `crossbar-${version}`))
  ? undefined
  : `not installed: npm run test:crossbar makes .venv with Crossbar.io ${version}`

/** A running Crossbar.io. */
export interface Crossbar {
  readonly process: Process
  /** `POST /call` is its HTTP bridge. */
  readonly url: string
  /** Where WAMP clients connect. */
  readonly routerUrl: string
}

/**
 * Starts it; its CPU time is that of its worker and its controller, which idles.
 * @param asks whether it asks the gateway who its users are, and what they may do
 */
export async function startCrossbar(stage: Stage, asks = false): Promise<Crossbar> {
  const port = await freePort()
  const process = stage.start({
    name: 'Crossbar.io',
    program: join(environment, 'bin/crossbar'),
    args: (folder) => {
      writeFileSync(join(folder, 'config.json'), JSON.stringify(configuration(port, asks)))
      return ['start', '--cbdir', folder, '--loglevel', 'warn']
    },
  })
  const { url } = await untilListening(process, port)
  return { process, url, routerUrl: `ws://127.0.0.1:${port}/ws` }
}
