/** A gateway as it is attacked: a process of its own with its defaults, one API, a callee and an upstream. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { type StartedAt, startedAt } from '#test/support/started.ts'
import { type Attack, type Target, toolName } from './attack.ts'
import type { Schedule } from './ordinary.ts'
import type { UpstreamUrls } from './upstreams.ts'

const realm = 'com.example.attack'
const procedure = 'com.example.attack.greet'
const topic = 'com.example.attack.events'

const paths: Target['paths'] = {
  static: '/about',
  call: '/hello/Ada',
  forward: '/quotes',
  large: '/large',
  parse: '/waves',
  echo: '/echo',
  checked: '/checked',
  tools: '/mcp',
  events: '/events',
  topics: '/topics',
  publish: '/publish',
  orders: '/orders',
  metered: '/metered',
  sockets: '/sockets',
  targets: '/targets',
}

const plain = { on_result: {}, on_error: {} }
const post = (body: unknown) => ({
  post: { action: { type: 'static', body }, response: { on_result: {}, on_error: {} } },
})

const listOf = (name: string) => ({ type: 'array', items: { $ref: `#/schemas/${name}` } })

/** Each refers to itself and to the other one. */
const schemas = {
  N: { anyOf: [listOf('N'), listOf('M'), { type: 'integer' }] },
  M: { anyOf: [listOf('M'), listOf('N'), { type: 'string' }] },
}

const documentOf = (upstream: string) => ({
  id: 'com.example.attacked',
  host: '_',
  realm_uri: realm,
  schemas,
  versions: {
    '1.0.0': {
      mcp: { path: paths.tools },
      base_path: '/',
      paths: {
        [paths.static]: {
          get: { action: { type: 'static', body: { name: 'attack' } }, response: plain },
        },
        '/hello/:name': {
          get: {
            action: { type: 'wamp_call', procedure, args: ['{{request.bindings.name}}'] },
            response: { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} },
          },
        },
        [paths.forward]: {
          get: { action: { type: 'forward', host: upstream, path: '/small' }, response: plain },
        },
        [paths.large]: {
          get: { action: { type: 'forward', host: upstream, path: '/large' }, response: plain },
        },
        [paths.parse]: post({ received: '{{request.body.name}}' }),
        [paths.echo]: post('{{request.body}}'),
        [paths.checked]: {
          post: { ...post({}).post, request: { body: { $ref: '#/schemas/N' } } },
        },
        '/kept': {
          post: {
            ...post('kept').post,
            request: { body: { type: 'object' } },
            tool: { name: toolName, description: 'Keeps what it is given.' },
          },
        },
        [paths.events]: {
          get: {
            action: { type: 'wamp_subscribe', topic, replay_events: 1000 },
            response: { on_event: {}, on_error: {} },
          },
        },
        [`${paths.topics}/:name`]: {
          get: {
            action: { type: 'wamp_subscribe', topic: `${topic}.{{request.bindings.name}}` },
            response: { on_event: {}, on_error: {} },
          },
        },
        [paths.orders]: {
          idempotency: { required: true },
          post: { action: { type: 'forward', host: upstream, path: '/echo' }, response: plain },
        },
        [`${paths.sockets}/:kind`]: {
          get: {
            action: {
              ...{ type: 'forward', host: upstream, path: '/{{request.bindings.kind}}' },
              ...{ timeout: 5000, websocket: true },
            },
            response: plain,
          },
        },
        [paths.targets]: {
          get: {
            action: { type: 'forward', upstream: 'copies', path: '/small', timeout: 1000 },
            response: plain,
          },
        },
        [paths.metered]: {
          get: {
            quota: { amount: 10, window: 'hour', per: '{{request.headers.x-tenant}}' },
            action: { type: 'static', body: 'metered' },
            response: plain,
          },
        },
        [paths.publish]: {
          post: {
            action: { type: 'wamp_publish', topic, args: ['{{request.body}}'] },
            response: plain,
          },
        },
      },
    },
  },
})

/** Starts the upstreams on a thread of their own: what they send costs the ordinary clients no time. */
async function startUpstreams(): Promise<{ worker: Worker; urls: UpstreamUrls }> {
  const worker = new Worker(new URL('upstreams.ts', import.meta.url))
  const [urls] = await once(worker, 'message')
  return { worker, urls }
}

/** Registers the procedure and answers. */
async function startCallee(url: string): Promise<RouterPeer> {
  const peer = await RouterPeer.join({ url, realm })
  await peer.register(procedure)
  peer.webSocket.on('message', (data) => {
    const [code, request, , , args = []] = JSON.parse(String(data))
    if (code === 68) peer.send(70, request, {}, [`Hello, ${args[0]}!`])
  })
  return peer
}

/** A gateway that runs. */
export class Victim {
  readonly target: Target
  readonly #child: ChildProcess
  readonly #turns: string
  readonly #close: () => void

  /** @param turns the file of turns.mjs */
  constructor(target: Target, child: ChildProcess, turns: string, close: () => void) {
    this.target = target
    this.#child = child
    this.#turns = turns
    this.#close = close
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  /** Memory of the process, MB; 0 when it has ended. */
  get rss(): number {
    return this.#status('VmRSS')
  }

  /** The most that {@link rss} has been since {@link forgetPeak}, MB. */
  get peak(): number {
    return this.#status('VmHWM')
  }

  forgetPeak(): void {
    writeFileSync(`/proc/${this.#child.pid}/clear_refs`, '5')
  }

  /** The longest turn of its event loop that has ended since a moment: CPU time of its thread, which other processes do not add to. Milliseconds. */
  longestTurn(since: number): number {
    const lines = existsSync(this.#turns) ? readFileSync(this.#turns, 'utf8').split('\n') : []
    const turns = lines.map((line) => line.split(' ').map(Number))
    return turns.reduce(
      (longest, [at = 0, ms = 0]) => (at < since ? longest : Math.max(longest, ms)),
      0,
    )
  }

  /** How long its event loop has run, and how long it was ready to run while other work had the processors; since it has started, milliseconds. */
  get schedule(): Schedule {
    try {
      const { pid } = this.#child
      const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
      return { ran: Number(ran) / 1e6, waited: Number(waited) / 1e6 }
    } catch {
      return { ran: 0, waited: 0 }
    }
  }

  #status(name: string): number {
    try {
      const text = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
      return Number(text.match(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm'))?.[1] ?? 0) / 1024
    } catch {
      return 0
    }
  }

  async stop(): Promise<void> {
    this.#close()
    if (!this.isRunning) return
    const ended = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await ended
  }
}

const root = join(import.meta.dirname, '../..')

const turns = new URL('turns.mjs', import.meta.url).href

/** The product's own start command: its environment, and its flags of Node. */
function startCommand(tree: string) {
  const { scripts } = JSON.parse(readFileSync(join(tree, 'package.json'), 'utf8'))
  const words: string[] = scripts.start.split(' ')
  const at = words.indexOf('node')
  const environment: Record<string, string> = Object.fromEntries(
    words.slice(0, at).map((word) => word.split('=')),
  )
  return { environment, args: words.slice(at + 1) }
}

/**
 * Starts one.
 * @param attack whose options, by dotted key, are given as `--set` takes them
 * @param tree folder of the working copy that is started
 */
export async function startVictim(
  { settings = {}, isSecure = false }: Pick<Attack, 'settings' | 'isSecure'> = {},
  tree = root,
): Promise<Victim> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-attack-'))
  const pair = isSecure ? writeCertificate(folder) : undefined
  const all = {
    'gateway.listen': '127.0.0.1:0',
    'admin.listen': '127.0.0.1:0',
    data_dir: folder,
    ...(pair && {
      'gateway.tls.cert': pair.cert,
      'gateway.tls.key': pair.key,
      'router.listen': '127.0.0.1:0',
    }),
    ...settings,
  }
  const flags = Object.entries(all).flatMap(([key, value]) => ['--set', `${key}=${value}`])
  const { environment, args } = startCommand(tree)
  const child = spawn(process.execPath, ['--import', turns, ...args, ...flags], {
    cwd: tree,
    env: { ...plainEnvironment(), ...environment, ATTACK_TURNS: join(folder, 'turns') },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const said = await addressesOf(child)
  const { worker, urls } = await startUpstreams()
  const send = async (path: string, body: unknown) => {
    const answer = await fetch(`${said.admin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
  const targets = [urls.whole, ...urls.broken].map((url) => ({ url }))
  await send('/services/load_realm', {
    ...{ uri: realm, authmethods: ['anonymous'] },
    info: { upstreams: { copies: { targets } } },
  })
  await send('/api_specs', documentOf(urls.whole))
  const callee = await startCallee(said.router)
  const { hostname, port: ours } = new URL(said.gateway)
  const target: Target = {
    ...{ url: said.gateway, host: hostname, port: Number(ours), routerUrl: said.router },
    ...{ adminUrl: said.admin, dataDir: folder, realm, paths },
  }
  return new Victim(target, child, join(folder, 'turns'), () => {
    callee.cut()
    void worker.terminate()
  })
}

/** Reads what it prints when it is up; the log that follows is read and dropped. */
function addressesOf(child: ChildProcess): Promise<StartedAt> {
  let output = ''
  let at: StartedAt | undefined
  return new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the gateway did not start: ${output}`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      if (at) return
      output += chunk
      at = startedAt(output)
      if (at) resolve(at)
    })
  })
}
