/** How far memory grows while something runs, and for how long it keeps the thread from other work. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Bytes of the heap and of buffers beside it. */
interface Memory {
  readonly heap: number
  readonly all: number
}

const memoryNow = (): Memory => {
  const { heapUsed, external } = process.memoryUsage()
  return { heap: heapUsed, all: heapUsed + external }
}

/** What is in use once all garbage is gone. */
export function settledMemory(): Memory {
  collect()
  return memoryNow()
}

/** What a task cost. */
export interface Cost {
  /** Most bytes in use beyond those before; garbage that was not yet collected counts. */
  readonly peak: Memory
  /** The most CPU time that the thread took between two turns of the event loop; milliseconds. */
  readonly stall: number
}

/** CPU time of this thread; milliseconds. Other processes do not add to it. */
function threadTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Runs a task and looks every 5 ms. */
export async function costOf(task: () => Promise<unknown>): Promise<Cost> {
  const before = settledMemory()
  let peak = { heap: 0, all: 0 }
  let stall = 0
  let last = threadTime()
  const look = () => {
    const { heap, all } = memoryNow()
    peak = {
      heap: Math.max(peak.heap, heap - before.heap),
      all: Math.max(peak.all, all - before.all),
    }
    const now = threadTime()
    stall = Math.max(stall, now - last)
    last = now
  }
  const timer = setInterval(look, 5)
  try {
    await task()
    look()
  } finally {
    clearInterval(timer)
  }
  return { peak, stall }
}
