/** Clients that come while a gateway listens and has not loaded its realms: they are told to come back, and find what they wanted. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { copyFile, open, readFile, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autobahn from 'autobahn'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { freePort } from '#test/support/free-port.ts'
import { until } from '#test/support/running/until.ts'
import { end, type Typed, type } from '#test/support/typed.ts'

const hello = join(import.meta.dirname, '../../examples/hello')
const realm = 'com.example.hello'

/** A gateway of its own, since it is held while it starts: the file of its realm is a pipe that nothing writes into. */
interface HeldStart {
  readonly gateway: string
  readonly router: string
  /** Lets it load the realm. */
  goOn(): Promise<void>
  stop(): Promise<void>
}

async function startHeld(workers: number): Promise<HeldStart> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-early-'))
  const file = join(folder, 'realm.json')
  execFileSync('mkfifo', [file])
  const [port, adminPort, routerPort] = [await freePort(), await freePort(), await freePort()]
  const settings = {
    'gateway.listen': `127.0.0.1:${port}`,
    'admin.listen': `127.0.0.1:${adminPort}`,
    'router.listen': `127.0.0.1:${routerPort}`,
    'log.level': 'silent',
    realms: `[${file}]`,
    specs: `[${join(hello, 'api-spec.json')}]`,
    data_dir: join(folder, 'data'),
    workers: String(workers),
  }
  const flags = Object.entries(settings).map(([key, value]) => `--set '${key}=${value}'`)
  const shell: Typed = type(`bin/wamp-gateway.mjs start ${flags.join(' ')}`)
  shell.stdout.resume()
  const admin = `http://127.0.0.1:${adminPort}`
  await until('it loads its files', async () => {
    const answer = await fetch(`${admin}/ready`).catch(() => undefined)
    return (await answer?.text())?.includes('loading the configured files') === true
  })
  return {
    gateway: `127.0.0.1:${port}`,
    router: `127.0.0.1:${routerPort}`,
    async goOn() {
      const pipe = await open(file, 'w')
      // the other workers read it, too
      await copyFile(join(hello, 'realm.json'), join(folder, 'copy.json'))
      await rename(join(folder, 'copy.json'), file)
      await pipe.writeFile(await readFile(file))
      await pipe.close()
    },
    async stop() {
      await end(shell)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A client that comes back until it has joined; what autobahn tells of each try that failed. */
function joining(url: string) {
  const connection = new autobahn.Connection({
    url,
    realm,
    max_retries: -1,
    initial_retry_delay: 0.05,
    max_retry_delay: 0.2,
  })
  const failures: string[] = []
  let isRefused = false
  const joined = new Promise<boolean>((resolve) => {
    connection.onopen = () => resolve(true)
    connection.onclose = (cause, { reason }) => {
      failures.push(reason ?? cause)
      isRefused ||= Boolean(reason)
      if (isRefused) resolve(false)
    }
  })
  connection.open()
  return { failures, joined, close: () => isRefused || connection.close() }
}

/** The status and `Retry-After` of the answer to a handshake. */
async function handshake(url: string): Promise<readonly [number | undefined, string | undefined]> {
  const socket = new WebSocket(url, ['wamp.2.json'])
  socket.on('error', () => undefined)
  const [, { statusCode, headers }] = await once(socket, 'unexpected-response')
  socket.terminate()
  return [statusCode, headers['retry-after']]
}

describe('clients of a gateway that starts', () => {
  const warn = autobahn.log.warn
  before(() => {
    // each try that fails would be a warning
    autobahn.log.warn = () => undefined
  })
  after(() => {
    autobahn.log.warn = warn
  })

  for (const workers of [1, 2]) {
    it(`are refused for now, and join once the realms are loaded, with workers: ${workers}`, async () => {
      const held = await startHeld(workers)
      const clients = [
        joining(`ws://${held.gateway}/ws`),
        joining(`ws://${held.router}/`),
        joining(`ws://${held.router}/ws`),
      ]
      try {
        for (const url of [`${held.gateway}/ws`, `${held.router}/`, `${held.router}/ws`])
          expect(await handshake(`ws://${url}`), url).to.deep.equal([503, '1'])
        // requests, and WebSockets of a document, for paths that are not loaded yet
        for (const path of ['/hello/Ada', '/hello/socket', '/nowhere']) {
          const { status, headers } = await fetch(`http://${held.gateway}${path}`)
          expect([status, headers.get('retry-after')], path).to.deep.equal([503, '1'])
          expect(await handshake(`ws://${held.gateway}${path}`)).to.deep.equal([503, '1'])
        }
        await until('each client has tried', () =>
          clients.every(({ failures }) => failures.length > 1),
        )
        await held.goOn()
        const joined = await Promise.all(clients.map((client) => client.joined))
        expect(joined, String(clients.map(({ failures }) => failures))).to.deep.equal([
          true,
          true,
          true,
        ])
        for (const { failures } of clients)
          expect([...new Set(failures)]).to.deep.equal(['unreachable'])
      } finally {
        for (const client of clients) client.close()
        await held.stop()
      }
    })
  }
})
