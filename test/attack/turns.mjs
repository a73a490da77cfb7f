/** Preloaded into a gateway that is attacked: writes into the file ATTACK_TURNS when a turn of the event loop has ended that took long, and its CPU time; milliseconds. */
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

/** Shorter ones are of no interest. */
const long = 20
/** Milliseconds between two looks. */
const step = 5

const file = process.env.ATTACK_TURNS

/** CPU time of this thread. */
const now = () => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

// the program that becomes the gateway may be an older Node
if (isMainThread && file !== undefined && process.threadCpuUsage !== undefined) {
  let last = now()
  setInterval(() => {
    const at = now()
    if (at - last >= long) appendFileSync(file, `${Date.now()} ${(at - last).toFixed(1)}\n`)
    last = at
  }, step).unref()
}
