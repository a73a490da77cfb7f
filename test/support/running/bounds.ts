/** Bounds that mocha does not set itself: a test that blocks the thread, a run that does not end, and children that outlive it. */
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Context, RootHookObject } from 'mocha'
import type { Beat } from './bounds-thread.ts'

/** The process ends by itself within this after its last test; milliseconds. */
const leaveTimeout = 20_000

const thread = new Worker(new URL('bounds-thread.ts', import.meta.url))
thread.unref()
let test = 'no test yet'
const beat = () => thread.postMessage({ test } satisfies Beat)
setInterval(beat, 1_000).unref()

/** The processes that this one has started. */
function children(): number[] {
  const file = `/proc/${process.pid}/task/${process.pid}/children`
  return readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number)
}

function endChildren(): void {
  for (const pid of children()) {
    // some lead a group of their own
    for (const target of [-pid, pid]) {
      try {
        process.kill(target, 'SIGKILL')
      } catch {
        // it has ended, or leads no group
      }
    }
  }
}
process.once('exit', endChildren)

/** Root hooks of mocha. */
export const mochaHooks: RootHookObject = {
  beforeEach(this: Context) {
    test = this.currentTest?.fullTitle() ?? ''
    beat()
  },
  afterAll() {
    // mocha ends the processes of a parallel run
    if (process.env.MOCHA_WORKER_ID !== undefined) return
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ')
      process.stderr.write(`the tests are over, and the process does not end: ${open}\n`)
      endChildren()
      // an exit code would be replaced by mocha's, which knows of passed tests only
      process.kill(process.pid, 'SIGKILL')
    }, leaveTimeout).unref()
  },
}
