/** A thread that ends its process, with the name of the test, when the main thread stands still. */
import { writeSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** What the main thread sends while it runs. */
export interface Beat {
  /** The full title of the test that runs, or ran last. */
  readonly test: string
}

/** Longest that the main thread may stand still; milliseconds. */
const stillTimeout = 120_000

let last = performance.now()
let test = ''
parentPort?.on('message', (beat: Beat) => {
  last = performance.now()
  test = beat.test
})
setInterval(() => {
  if (performance.now() - last < stillTimeout) return
  writeSync(2, `the thread of the tests stands still: ${test}\n`)
  process.kill(process.pid, 'SIGKILL')
}, 5_000)
