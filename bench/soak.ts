/** `npm run soak -- [--minutes N] [--idle N]`: half load for an hour, and many idle connections; what memory becomes of it. */
import { parseArgs } from 'node:util'
import { type Ask, checkAnswers } from './asks.ts'
import type { Gateway } from './gateway.ts'
import { holdIdle } from './idle.ts'
import { runLoad } from './load.ts'
import { small } from './payloads.ts'
import { tableOf } from './report.ts'
import { forwardPath, startUpstream } from './scenarios/forward.ts'
import { staticPath } from './scenarios/static.ts'
import { callPaths, startCallee } from './scenarios/wamp.ts'
import { defaultConnections, Stage } from './stage.ts'
import { median } from './statistics.ts'

/** Between two looks at memory, seconds. */
const step = 5

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    idle: { type: 'string', default: '10000' },
  },
})
const minutes = Number(values.minutes)
if (!(minutes > 0)) throw new Error('--minutes: a number above 0')
const idle = Number(values.idle)
if (!Number.isInteger(idle) || idle < 0) throw new Error('--idle: a whole number')

/** What the process held at a time. */
interface Sample {
  /** Minutes since the start of the load. */
  readonly at: number
  readonly rss: number
  readonly heap: number
  readonly rate: number
  readonly p99: number
  readonly errors: number
}

/** JavaScript heap in use, MB. */
async function heapOf({ admin }: Gateway): Promise<number> {
  const text = await (await fetch(`${admin}/metrics`)).text()
  const found = text.match(/^nodejs_heap_size_used_bytes (\S+)$/m)
  if (!found) throw new Error('/metrics says nothing about the heap')
  return Number(found[1]) / 2 ** 20
}

/** One API with a path of each kind, and what is asked of it. */
async function start(stage: Stage): Promise<{ gateway: Gateway; asks: readonly Ask[] }> {
  const body = JSON.stringify(small)
  const upstream = await startUpstream(stage, '/quotes/1', body)
  const paths = {
    ...callPaths,
    '/about': staticPath(small),
    '/quotes/:id': forwardPath(upstream.url, { path: '/quotes/{{request.bindings.id}}' }),
    '/waves': {
      post: {
        action: { type: 'static', body: { received: '{{request.body.name}}' } },
        response: { on_result: { status_code: 200 }, on_error: {} },
      },
    },
  }
  const gateway = await stage.gateway('ours', paths, {
    'limits.max_connections': String(idle + 2 * defaultConnections),
    'limits.connections_per_address': String(idle + 2 * defaultConnections),
    'limits.keep_alive_timeout': '600000',
  })
  await startCallee(stage, gateway.routerUrl, 'Hello, {}!')
  const asks = [
    { path: '/about', expected: { body } },
    { path: '/hello/Ada', expected: { body: JSON.stringify({ greeting: 'Hello, Ada!' }) } },
    { path: '/quotes/1', expected: { body } },
    {
      method: 'POST',
      path: '/waves',
      body,
      expected: { body: JSON.stringify({ received: 'bench' }) },
    },
  ]
  await checkAnswers('ours', gateway.url, asks)
  return { gateway, asks }
}

/** Growth of a straight line through the samples, an hour; of a few minutes it would say nothing. */
function slope(samples: readonly Sample[], key: 'rss' | 'heap'): string {
  if (minutes < 10) return 'too short'
  const mean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / values.length
  const at = mean(samples.map((sample) => sample.at))
  const level = mean(samples.map((sample) => sample[key]))
  const product = samples.map((sample) => (sample.at - at) * (sample[key] - level))
  const square = samples.map((sample) => (sample.at - at) ** 2)
  return ((mean(product) / mean(square)) * 60).toFixed(1)
}

const print = (text: string) => process.stdout.write(`${text}\n`)

process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

const stage = new Stage()
try {
  const { gateway, asks } = await start(stage)
  const load = { url: gateway.url, asks, connections: defaultConnections }
  const full = await runLoad({ ...load, seconds: 10 })
  const rate = full.answers / full.seconds / 2
  print(
    `full load ${(2 * rate).toFixed(0)} requests/s (static, call, forward, POST in turn); half of it from now on\n`,
  )
  const samples: Sample[] = []
  const began = performance.now()
  const since = () => (performance.now() - began) / 60_000
  let printed = 0
  while (since() < minutes) {
    const { answers, seconds, p99, errors } = await runLoad({ ...load, rate, seconds: step })
    const heap = await heapOf(gateway)
    const rss = gateway.process.rss()
    samples.push({ at: since(), rss, heap, rate: answers / seconds, p99, errors })
    if (since() >= printed + 1) {
      printed = Math.floor(since())
      print(
        `${printed} min: RSS ${rss.toFixed(0)} MB, heap ${heap.toFixed(0)} MB, p99 ${p99.toFixed(1)} ms, errors ${errors}`,
      )
    }
  }
  const third = Math.max(1, Math.floor(samples.length / 3))
  const parts = [samples.slice(0, third), samples.slice(-third)]
  // just after a collection the heap is what is held; in between it is also what nobody has cleared away
  const least = (part: readonly Sample[]) => Math.min(...part.map(({ heap }) => heap)).toFixed(1)
  const row = (name: string, of: (part: readonly Sample[]) => string, growth: string) => [
    name,
    ...parts.map(of),
    growth,
  ]
  const middle = (key: keyof Sample) => (part: readonly Sample[]) =>
    median(part.map((sample) => sample[key])).toFixed(1)
  const lines = [
    row('RSS MB, median', middle('rss'), slope(samples, 'rss')),
    row('heap MB, median', middle('heap'), slope(samples, 'heap')),
    row('heap MB, least', least, ''),
    row('requests/s, median', middle('rate'), ''),
    row('p99 ms, median', middle('p99'), ''),
  ]
  print(`\n${tableOf(['', 'first third', 'last third', 'growth an hour'], lines)}\n`)
  const errors = samples.reduce((sum, sample) => sum + sample.errors, 0)
  const answers = samples.reduce((sum, sample) => sum + sample.rate * step, 0)
  print(`${answers.toFixed(0)} requests in ${minutes} minutes, ${errors} errors`)
  if (errors > 0) process.exitCode = 1
  if (idle > 0) {
    print(`\n${await holdIdle(gateway, idle, () => runLoad({ ...load, rate, seconds: step }))}`)
  }
} finally {
  await stage.stop()
}
