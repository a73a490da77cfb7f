/** What is measured: scenarios, each with the candidates that answer the same requests with the same bytes. */
import { type Gateway, startGateway } from './gateway.ts'
import { Process } from './processes.ts'

/** One of those that are compared. */
export interface Candidate {
  readonly name: string
  readonly process: Process
  /** Base address. */
  readonly url: string
  /** Asked one after the other, from the first again. */
  readonly paths: readonly string[]
  /** What each answer's body has to be. */
  readonly body: string
}

/** Its first candidate is the baseline, 1.0. */
export interface Scenario {
  readonly candidates: readonly Candidate[]
  /** All processes of the scenario. */
  readonly processes: readonly Process[]
}

const realm = 'com.example.test'
const procedure = 'com.example.test.greet'
const body = JSON.stringify({ name: 'bench', version: '1.0.0', is_small: true })

const staticPath = {
  get: {
    action: { type: 'static', body: JSON.parse(body) as unknown },
    response: { on_result: {}, on_error: {} },
  },
}

/** Collects what was started, so that a failure on the way stops it again. */
async function assemble(
  build: (keep: (process: Process) => Process) => Promise<readonly Candidate[]>,
): Promise<Scenario> {
  const processes: Process[] = []
  try {
    const candidates = await build((process) => {
      processes.push(process)
      return process
    })
    return { candidates, processes }
  } catch (cause) {
    await Promise.all(processes.map((process) => process.stop()))
    throw cause
  }
}

async function startPeer(
  keep: (process: Process) => Process,
  file: string,
  ...args: string[]
): Promise<{ process: Process; url: string }> {
  const process = keep(new Process(() => [`bench/peers/${file}`, ...args]))
  const port = await process.says(/^listening (\d+)$/m)
  return { process, url: `http://127.0.0.1:${port}` }
}

const answersStatic = () =>
  assemble(async (keep) => {
    const expected = { paths: ['/about'], body }
    const http = await startPeer(keep, 'static-http.ts', body)
    const koa = await startPeer(keep, 'static-koa.ts', body)
    const paths = { '/about': staticPath }
    const quiet = await startGateway(realm, paths)
    keep(quiet.process)
    const logging = await startGateway(realm, paths, { 'log.access': 'true' })
    keep(logging.process)
    return [
      { name: 'bare node:http', ...http, ...expected },
      { name: 'bare Koa', ...koa, ...expected },
      { name: 'ours', process: quiet.process, url: quiet.url, ...expected },
      { name: 'ours, access log', process: logging.process, url: logging.url, ...expected },
    ]
  })

const callPaths = {
  '/hello/:name': {
    get: {
      action: { type: 'wamp_call', procedure, args: ['{{request.bindings.name}}'] },
      response: {
        on_result: { body: { greeting: '{{action.result.args |> head}}' } },
        on_error: { status_code: 502, body: '{{action.error}}' },
      },
    },
  },
}

const calls = () =>
  assemble(async (keep) => {
    const router = keep(
      new Process(() => ['--disable-proto=delete', 'test/support/router-process.ts', '0']),
    )
    const routerUrl = `ws://127.0.0.1:${await router.says(/^listening (\d+)$/m)}/ws`
    await startPeer(keep, 'callee.ts', routerUrl, realm, procedure)
    const bare = await startPeer(keep, 'wamp-http.ts', routerUrl, realm, procedure)
    const remote = await startGateway(realm, callPaths, { 'wamp.url': routerUrl })
    keep(remote.process)
    const embedded = await startGateway(realm, callPaths)
    keep(embedded.process)
    await startPeer(keep, 'callee.ts', embedded.routerUrl, realm, procedure)
    const expected = { paths: ['/hello/Ada'], body: JSON.stringify({ greeting: 'Hello, Ada!' }) }
    return [
      { name: 'bare node:http + wampy', ...bare, ...expected },
      { name: 'ours, same router', process: remote.process, url: remote.url, ...expected },
      { name: 'ours, embedded router', process: embedded.process, url: embedded.url, ...expected },
    ]
  })

const forwards = () =>
  assemble(async (keep) => {
    const upstream = await startPeer(keep, 'upstream.ts', '/quotes/1', body)
    const bare = await startPeer(keep, 'forward-undici.ts', upstream.url)
    const ours = await startGateway(realm, {
      '/quotes/:id': {
        get: {
          action: {
            type: 'forward',
            host: upstream.url,
            path: '/quotes/{{request.bindings.id}}',
          },
          response: { on_result: {}, on_error: {} },
        },
      },
    })
    keep(ours.process)
    const expected = { paths: ['/quotes/1'], body }
    return [
      { name: 'bare node:http + undici', ...bare, ...expected },
      { name: 'ours', process: ours.process, url: ours.url, ...expected },
    ]
  })

/** Half of the routes have a binding; requests go to the first, the last, and some in between. */
const routes = () =>
  assemble(async (keep) => {
    const few = await startGateway(realm, { '/fixed-0': staticPath })
    keep(few.process)
    const numbers = Array.from({ length: 2_500 }, (_, number) => number)
    const names = numbers.flatMap((number) => [`/fixed-${number}`, `/bound-${number}/:id`])
    const many = await startGateway(
      realm,
      Object.fromEntries(names.map((name) => [name, staticPath])),
    )
    keep(many.process)
    // 997 is prime: the steps visit each route before they come back to the first
    const asked = Array.from({ length: 500 }, (_, step) => names[(step * 997) % names.length] ?? '')
    const paths = [names[0] ?? '', names.at(-1) ?? '', ...asked].map((name) =>
      name.replace(':id', 'a1'),
    )
    const candidate = (name: string, gateway: Gateway, asks: readonly string[]): Candidate => ({
      name,
      process: gateway.process,
      url: gateway.url,
      paths: asks,
      body,
    })
    return [
      candidate(
        'ours, 1 route',
        few,
        paths.map(() => '/fixed-0'),
      ),
      candidate('ours, 5000 routes', many, paths),
    ]
  })

/** By name. */
export const scenarios: Readonly<Record<string, () => Promise<Scenario>>> = {
  static: answersStatic,
  'WAMP call': calls,
  forward: forwards,
  routes,
}
