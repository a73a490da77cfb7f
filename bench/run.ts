/** `npm run bench -- [--quick] [--rounds N] [--seconds N] [--only SCENARIO]…`: the gateway and its peers side by side, on this machine, now. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { generator } from './load.ts'
import { type Result, scenarioText } from './report.ts'
import { type Plan, run, unmeasured } from './rounds.ts'
import { scenarios } from './scenarios/index.ts'
import { judgeAll, targetsText } from './verdicts.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string', multiple: true, default: Object.keys(scenarios) },
  },
})

function positive(name: string, text: string): number {
  const number = Number(text)
  if (!(number > 0)) throw new Error(`--${name}: a number above 0`)
  return number
}

const rounds = Math.round(positive('rounds', values.rounds ?? (values.quick ? '2' : '11')))
const plan: Plan = {
  rounds,
  attempts: values.quick ? 1 : rounds,
  seconds: positive('seconds', values.seconds ?? (values.quick ? '0.25' : '1')),
  // an optimiser that is not done makes the largest program look slowest
  warmUpSeconds: values.quick ? 0.25 : 10,
}

/** No scenario is begun after this, milliseconds: on a busy machine the last ones are left out, and the report says so. */
const lastBegin = values.quick ? 105_000 : Number.POSITIVE_INFINITY

const chosen = values.only.map((name) => {
  const scenario = scenarios[name]
  if (scenario === undefined) {
    throw new Error(`no scenario ${name}; there are: ${Object.keys(scenarios).join(', ')}`)
  }
  return { name, scenario }
})

// the processes that were started end with this one
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

const began = new Date()
const results = new Map<string, Result>()
for (const { name, scenario } of chosen) {
  const isInTime = Date.now() - began.getTime() <= lastBegin
  const result = isInTime
    ? await run(scenario, plan)
    : unmeasured(scenario, 'no time left for it within --quick')
  results.set(name, result)
  process.stdout.write(`${scenarioText(name, result)}\n`)
}
const verdicts = judgeAll(results)
if (verdicts.length > 0) process.stdout.write(`${targetsText(verdicts)}\n`)

const machine = { cpu: cpus()[0]?.model, cores: availableParallelism(), node: process.version }
const folder = join(import.meta.dirname, 'results')
mkdirSync(folder, { recursive: true })
const report = {
  began,
  machine,
  plan: { ...plan, load: generator },
  scenarios: Object.fromEntries(results),
  targets: verdicts,
}
const text = `${JSON.stringify(report, null, 2)}\n`
for (const file of ['latest', began.toISOString().replaceAll(':', '-')]) {
  writeFileSync(join(folder, `${file}.json`), text)
}
const load =
  generator === 'wrk' ? 'wrk' : `${generator}, slower than wrk (not installed: apt-get install wrk)`
const took = Math.round((Date.now() - began.getTime()) / 1000)
process.stdout.write(
  `${plan.rounds} rounds of ${plan.seconds} s, load by ${load}, ${machine.cores} cores, Node ${machine.node}, ${took} s in all\n`,
)
const all = [...results.values()]
const errors = all.flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.errors, 0)
if (errors > 0) process.stderr.write(`${errors} requests failed: their rows do not count\n`)
if (errors > 0 || all.some(({ failure }) => failure !== undefined)) process.exitCode = 1
