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

const configuration = (port: number) => ({
  version: 2,
  workers: [
    {
      type: 'router',
      realms: realms.map((name) => ({
        name,
        roles: [
          {
            name: 'anonymous',
            permissions: [{ uri: '', match: 'prefix', allow: everything, cache: true }],
          },
        ],
      })),
      transports: [
        {
          type: 'web',
          endpoint: { type: 'tcp', interface: '127.0.0.1', port },
          paths: {
            '/': { type: 'json', value: {} },
            ws: { type: 'websocket', auth: { anonymous: { type: 'static', role: 'anonymous' } } },
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

/** Starts it; its CPU time is that of its worker and its controller, which idles. */
export async function startCrossbar(stage: Stage): Promise<Crossbar> {
  const port = await freePort()
  const process = stage.start({
    name: 'Crossbar.io',
    program: join(environment, 'bin/crossbar'),
    args: (folder) => {
      writeFileSync(join(folder, 'config.json'), JSON.stringify(configuration(port)))
      return ['start', '--cbdir', folder, '--loglevel', 'warn']
    },
  })
  const { url } = await untilListening(process, port)
  return { process, url, routerUrl: `ws://127.0.0.1:${port}/ws` }
}
