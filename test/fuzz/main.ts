/** `npm run fuzz`: expressions, documents, JSON Schemas, streams and forwarded requests without end, from seeds that are printed; fails on a crash or a stall. */
import { parseArgs } from 'node:util'
import { fuzzDocuments } from './documents.ts'
import { fuzzExpressions } from './expressions.ts'
import { fuzzForwards } from './forwards.ts'
import { fuzzPatterns } from './patterns.ts'
import { fuzzSchemas } from './schemas.ts'
import { fuzzStreams } from './streams.ts'

const { values } = parseArgs({
  options: {
    /** A tenth of the work: while writing, and in `.ci/run`. */
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
  },
})

const seed = Number(values.seed)
const share = values.quick ? 10 : 1
/** Expressions of one batch; the longest that a batch, a document, the check of a value or a whole budget of patterns may take, in milliseconds. */
const batch = 10_000
const patience = { batch: 10_000, document: 1_000, check: 100, budget: 1_000 }
const least = { compiled: 0.4, loaded: 0.2, accepted: 0.2, opened: 0.4, passed: 0.4 }

let failures = 0

function judge(name: string, isGood: boolean, figure: string): void {
  process.stdout.write(`  ${isGood ? 'ok  ' : 'FAIL'} ${name}: ${figure}\n`)
  if (!isGood) failures++
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`

const expressions = 1_000_000 / share
let compiled = 0
let slowestBatch = 0
const thrown: string[] = []
process.stdout.write(`${expressions} expressions, from seed ${seed}\n`)
for (let done = 0; done < expressions; done += batch) {
  const start = performance.now()
  const result = fuzzExpressions({ count: Math.min(batch, expressions - done), seed: seed + done })
  slowestBatch = Math.max(slowestBatch, performance.now() - start)
  compiled += result.compiled
  for (const { text, error } of result.crashed)
    thrown.push(`${JSON.stringify(text)}: ${String(error)}`)
}
judge('no expression crashes', thrown.length === 0, `${thrown.length} crashes`)
judge(
  'no expression stalls',
  slowestBatch < patience.batch,
  `the slowest ${batch} took ${slowestBatch.toFixed(0)} ms`,
)
judge(
  'enough of them compile',
  compiled / expressions >= least.compiled,
  percent(compiled, expressions),
)

const count = 100_000 / share
process.stdout.write(`${count} documents, from seed ${seed}\n`)
const documents = fuzzDocuments({ count, seed })
for (const { document, error } of documents.crashed) thrown.push(`${error}: ${document}`)
judge('no document crashes', documents.crashed.length === 0, `${documents.crashed.length} crashes`)
judge(
  'no document stalls',
  documents.slowest < patience.document,
  `the slowest took ${documents.slowest.toFixed(0)} ms`,
)
judge(
  'enough of them load',
  documents.loaded / count >= least.loaded,
  percent(documents.loaded, count),
)

const patterns = fuzzPatterns({ count, seed })
process.stdout.write(`${count} patterns, from seed ${seed}\n`)
for (const line of patterns.different) thrown.push(`not as ECMA-262: ${line}`)
judge(
  'patterns match as in ECMA-262',
  patterns.different.length === 0,
  `${patterns.different.length} of ${patterns.compiled} differ`,
)
judge(
  'no pattern is dearer than its price',
  patterns.slowest < patience.budget,
  `the whole budget lasted ${patterns.slowest.toFixed(0)} ms at most, with ${patterns.dearest.slice(0, 60)}`,
)

const schemas = values.quick ? { count: 2_000, values: 100 } : { count: 100_000, values: 1_000 }
process.stdout.write(
  `${schemas.count} JSON Schemas with ${schemas.values} values, from seed ${seed}\n`,
)
const { accepted, crashed, slowest, slowestCheck } = fuzzSchemas({ ...schemas, seed })
thrown.push(...crashed)
judge('no accepted schema crashes', crashed.length === 0, `${crashed.length} crashes`)
judge('no value stalls', slowest < patience.check, `the slowest took ${slowest.toFixed(0)} ms`)
if (slowest >= patience.check) thrown.push(slowestCheck)
judge(
  'enough of them are accepted',
  accepted / schemas.count >= least.accepted,
  percent(accepted, schemas.count),
)

const asked = 10_000 / share
process.stdout.write(`${asked} streams, from seed ${seed}\n`)
const streams = await fuzzStreams({ count: asked, seed })
thrown.push(...streams.wrong)
judge(
  'streams hold what was published, and no data becomes a header',
  streams.wrong.length === 0,
  `${streams.wrong.length} wrong, of ${streams.events} events`,
)
judge('enough of them open', streams.opened / asked >= least.opened, percent(streams.opened, asked))

const sent = values.quick ? 20_000 : 1_000_000
process.stdout.write(`${sent} requests through forwards with checks, from seed ${seed}\n`)
const forwards = await fuzzForwards({ count: sent, seed })
thrown.push(...forwards.wrong)
judge(
  'what was judged is what arrives',
  forwards.wrong.length === 0,
  `${forwards.wrong.length} differences, ${forwards.refused} refused`,
)
judge('enough of them pass', forwards.passed / sent >= least.passed, percent(forwards.passed, sent))

for (const line of thrown.slice(0, 20)) process.stdout.write(`${line.slice(0, 2_000)}\n`)
process.stdout.write(`  ${15 - failures} passing\n`)
if (failures > 0) {
  process.stdout.write(`  ${failures} failing\n`)
  process.exitCode = 1
}
