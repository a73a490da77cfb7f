/** `npm run soak -- [--minutes N] [--rest N] [--idle N]`: load and all that changes beside it, then rest; judged by what has grown. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { holdIdle } from './idle.ts'
import { runLoad } from './load.ts'
import { tableOf } from './report.ts'
import { sameId, startMix } from './soak/mix.ts'
import { liveHeap, scrape, scrapeStall, storeOf } from './soak/samples.ts'
import { startSoaked } from './soak/setup.ts'
import { judge } from './soak/verdicts.ts'
import { defaultConnections, Stage } from './stage.ts'

/** Requests a second beside what changes: the soak is about growth, not about speed. */
const rate = 200

/** How often it is scraped in all. */
const scrapes = 100

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    rest: { type: 'string', default: '2' },
    idle: { type: 'string', default: '0' },
  },
})

/** Reads a number of the command line. @throws Error for other text, and for a number that is not above `above` */
function numberOf(name: keyof typeof values, above: number): number {
  const number = Number(values[name])
  if (!(number > above)) throw new Error(`--${name}: a number above ${above}`)
  return number
}

const minutes = numberOf('minutes', 0)
const rest = numberOf('rest', -1)
const idle = numberOf('idle', -1)
/** When the heap is looked at first, minutes: 5 of 30, a third of a short run. */
const firstLook = Math.min(5, minutes / 3)

const print = (text: string) => process.stdout.write(`${text}\n`)

process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

const folder = mkdtempSync(join(tmpdir(), 'gateway-soak-'))
const stage = new Stage()
try {
  const soaked = await startSoaked(stage, folder, {
    'limits.max_connections': String(idle + 10 * defaultConnections),
    'limits.connections_per_address': String(idle + 10 * defaultConnections),
    'limits.keep_alive_timeout': '600000',
    'rate_limits.address_failures': '1000000',
  })
  const { gateway, asks } = soaked
  const load = { url: gateway.url, asks, connections: defaultConnections, rate }
  const mix = startMix(gateway)
  const began = performance.now()
  const since = () => (performance.now() - began) / 60_000
  const step = Math.max(1, (minutes * 60) / scrapes)
  let [heapBefore, storeBefore, mostRss, errors, answers] = [0, 0, 0, 0, 0]
  let printed = 0
  while (since() < minutes) {
    const result = await runLoad({ ...load, seconds: step })
    errors += result.errors
    answers += result.answers
    mostRss = Math.max(mostRss, gateway.process.rss())
    const { series, longestStall } = await scrape(soaked)
    if (heapBefore === 0 && since() >= firstLook) {
      heapBefore = await liveHeap(soaked)
      storeBefore = storeOf(folder, [sameId]).documents
    }
    if (since() < printed + 1) continue
    printed = Math.floor(since())
    const rss = gateway.process.rss().toFixed(0)
    print(
      `${printed} min: RSS ${rss} MB, ${series} series, longest stall ${longestStall.toFixed(0)} ms, p99 ${result.p99.toFixed(1)} ms, errors ${errors}`,
    )
  }
  await mix.stop()
  print(`rest of ${rest} minutes`)
  await wait(rest * 60_000)
  const stall = await scrapeStall(soaked)
  const last = await scrape(soaked)
  const heapAfter = await liveHeap(soaked)
  const store = storeOf(folder, [sameId])
  mostRss = Math.max(mostRss, gateway.process.rss())
  const done = Object.entries(mix.done).map(([name, count]) => `${name} ${count}`)
  print(`\n${answers} requests; ${done.join(', ')}`)
  for (const problem of mix.problems.slice(0, 10)) print(`failed: ${problem}`)
  print(
    `live heap ${heapBefore.toFixed(1)} → ${heapAfter.toFixed(1)} MB, RSS now ${gateway.process.rss().toFixed(0)} MB, store ${(store.pages / 1e6).toFixed(2)} MB\n`,
  )
  const verdicts = judge({
    ...{ heapBefore, heapAfter, mostRss, storeBefore },
    series: last.series,
    statuses: last.statuses,
    liveRoutes: soaked.liveRoutes,
    scrapeStall: stall,
    storeAfter: store.documents,
    errors: errors + mix.problems.length,
  })
  const rows = verdicts.map(({ what, found, allowed, holds }) => [
    what,
    found,
    allowed,
    holds ? 'holds' : 'FAILS',
  ])
  print(tableOf(['', 'found', 'allowed', ''], rows))
  if (verdicts.some(({ holds }) => !holds)) process.exitCode = 1
  if (idle > 0) print(await holdIdle(gateway, idle, () => runLoad({ ...load, seconds: 5 })))
} finally {
  await stage.stop()
  rmSync(folder, { recursive: true, force: true })
}
