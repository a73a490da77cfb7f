/**
 * `node test/support/running/run.ts FOLDER…`: runs the test files of folders of `test/` with mocha, side by side first, then one by
 * one those that must be alone.
 */
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { mocha, sideBySide } from './mocha.ts'

/** Files that measure memory or moments, or load the machine: nothing runs beside them. */
const alone: readonly string[] = [
  'test/cluster/gateways-of-workers.test.ts',
  'test/cluster/postgres.test.ts',
  'test/deploy/debian/prometheus/prometheus.test.ts',
  'test/e2e/memory-of-logins.test.ts',
  'test/e2e/streaming.test.ts',
  'test/integration/bad-inputs/body.test.ts',
  'test/integration/bad-inputs/oauth-nodes.test.ts',
  'test/integration/forward/time.test.ts',
]

const files = process.argv
  .slice(2)
  .flatMap((folder) => globSync(`test/${folder}/**/*.test.ts`).sort())
const codes = [
  // many of them wait for a clock or for another process
  await mocha(
    sideBySide(availableParallelism() + 1),
    files.filter((file) => !alone.includes(file)),
  ),
  await mocha(
    [],
    files.filter((file) => alone.includes(file)),
  ),
]
process.exitCode = Math.max(...codes)
