/**
 * `node test/support/running/run.ts [--full] FOLDER…`: runs the test files of folders of `test/` with mocha, side by side first, then
 * one by one those that must be alone. Without `--full`, files `*.full.test.ts` are left out: long suites, and the cases of a suite
 * beside its first ones.
 */
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { recordCosts } from './costs.ts'
import { mocha, sideBySide } from './mocha.ts'

/** Files that measure moments, load the machine, or need the ports of the example: nothing runs beside them. */
const alone: readonly string[] = [
  'test/cluster/gateways-of-workers.test.ts',
  'test/cluster/postgres.test.ts',
  'test/deploy/debian/prometheus/prometheus.test.ts',
  // beside start.test.ts
  'test/e2e/start.full.test.ts',
  'test/e2e/streaming.full.test.ts',
  'test/integration/bad-inputs/body.full.test.ts',
  'test/integration/bad-inputs/oauth-nodes.full.test.ts',
  'test/integration/forward/time.full.test.ts',
]

const { values, positionals } = parseArgs({
  options: { full: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const files = positionals
  .flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`).sort())
  .filter((file) => values.full || !file.endsWith('.full.test.ts'))
const codes = await recordCosts(async () => [
  // many of them wait for another process
  await mocha(
    sideBySide(availableParallelism() + 2),
    files.filter((file) => !alone.includes(file)),
  ),
  await mocha(
    // one process at a time; each file has its own costs
    sideBySide(1),
    files.filter((file) => alone.includes(file)),
  ),
])
process.exitCode = Math.max(...codes)
