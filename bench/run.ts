/** `npm run bench -- [--quick] [--seconds N] [--only SCENARIO]`: the gateway and its peers side by side, on this machine, now. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkAnswers, measure, type Round } from './load.ts'
import { type Row, rowsOf, tableOf } from './report.ts'
import { scenarios } from './scenarios.ts'

const connections = 64

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '1' },
    only: { type: 'string', multiple: true, default: Object.keys(scenarios) },
  },
})
const rounds = values.quick ? 3 : 11
const seconds = values.quick ? 1 : Number(values.seconds)
if (!Number.isInteger(seconds) || seconds < 1) throw new Error('--seconds: a whole number from 1')

// the processes that were started end with this one
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

async function run(name: string): Promise<readonly Row[]> {
  const start = scenarios[name]
  if (start === undefined) throw new Error(`no scenario ${name}: ${Object.keys(scenarios)}`)
  const { candidates, processes } = await start()
  try {
    const results = new Map<string, Round[]>()
    for (const candidate of candidates) {
      await checkAnswers(candidate)
      await measure(candidate, connections, values.quick ? 1 : 2)
      results.set(candidate.name, [])
    }
    for (let round = 0; round < rounds; round += 1) {
      for (const candidate of candidates) {
        results.get(candidate.name)?.push(await measure(candidate, connections, seconds))
      }
    }
    return rowsOf(results)
  } finally {
    await Promise.all(processes.map((child) => child.stop()))
  }
}

const began = new Date()
const report: Record<string, readonly Row[]> = {}
let errors = 0
for (const name of values.only) {
  const rows = await run(name)
  report[name] = rows
  errors += rows.reduce((sum, row) => sum + row.errors, 0)
  process.stdout.write(`${tableOf(name, rows)}\n\n`)
}

const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version }
const folder = join(import.meta.dirname, 'results')
mkdirSync(folder, { recursive: true })
const plan = { rounds, seconds, connections, load: 'autocannon, one thread' }
writeFileSync(
  join(folder, 'latest.json'),
  `${JSON.stringify({ began, machine, plan, scenarios: report }, null, 2)}\n`,
)
const took = Math.round((Date.now() - began.getTime()) / 1000)
process.stdout.write(
  `${rounds} rounds of ${seconds} s, ${connections} connections, ${machine.cores} cores, Node ${machine.node}, ${took} s in all\n`,
)
if (errors > 0) {
  process.stderr.write(`${errors} requests failed: these figures do not count\n`)
  process.exitCode = 1
}
