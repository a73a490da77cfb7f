/** One round on one candidate: its load, and who used the processors meanwhile. */
import { readFileSync } from 'node:fs'
import { type CallLoad, type HttpLoad, type LoadResult, runLoad } from './load.ts'
import type { Process } from './processes.ts'
import type { StreamLoad } from './stream-group.ts'

/** Linux says CPU time in ticks of this length, whatever the kernel's own are; microseconds. */
const tick = 10_000

/** What a round came to. */
export interface Round {
  /** Answers per second. */
  readonly rate: number
  /** Of the candidate's process, microseconds an answer. */
  readonly cpu: number
  /** How busy the candidate was: 1 is one core. */
  readonly cores: number
  /** How much of the time its busiest thread ran or waited for a core: at 1 it had always something to do. */
  readonly ready: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Failed connections, timeouts, answers with another status or another body. */
  readonly errors: number
  /** MB, at the end, under load. */
  readonly rss: number
  /** How busy the others were: the processes beside the candidate, the load generator, and the machine as a whole. */
  readonly others: Readonly<Record<string, number>>
}

const fieldsAfterName = (stat: string) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')

/** CPU time of the load so far: of the programs that ended, and of this process, which may be one of them; microseconds. */
function loadCpu(): number {
  const fields = fieldsAfterName(readFileSync('/proc/self/stat', 'utf8'))
  const { user, system } = process.cpuUsage()
  return (Number(fields[13]) + Number(fields[14])) * tick + user + system
}

/** CPU time of the whole machine so far, that of other machines on the same hardware (steal) with it; microseconds. */
function machineCpu(): number {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8').split(
    /\s+/,
  )
  return [user, nice, system, irq, softirq, steal].reduce(
    (sum, ticks) => sum + Number(ticks) * tick,
    0,
  )
}

/**
 * Measures a round.
 * @param candidate whose work it is
 * @param beside the other processes that take part
 */
export async function measure(
  candidate: Process,
  load: HttpLoad | CallLoad | StreamLoad,
  beside: readonly Process[],
): Promise<Round> {
  const readers: readonly (readonly [name: string, cpu: () => number])[] = [
    ...beside.map((process) => [process.name, () => process.cpu()] as const),
    ['load', loadCpu],
    ['machine', machineCpu],
  ]
  const read = () => readers.map(([, cpu]) => cpu())
  const othersBefore = read()
  const before = candidate.threads()
  const result: LoadResult = await runLoad(load)
  const threads = [...candidate.threads()].map(([thread, { ran, waited }]) => {
    const then = before.get(thread) ?? { ran: 0, waited: 0 }
    return { ran: ran - then.ran, waited: waited - then.waited }
  })
  const cpu = threads.reduce((sum, { ran }) => sum + ran, 0)
  const took = result.seconds * 1e6
  const others: Record<string, number> = {}
  read().forEach((after, at) => {
    const name = readers[at]?.[0] ?? ''
    others[name] = (others[name] ?? 0) + (after - (othersBefore[at] ?? 0)) / took
  })
  return {
    rate: result.answers / result.seconds,
    cpu: cpu / result.answers,
    cores: cpu / took,
    ready: Math.max(...threads.map(({ ran, waited }) => ran + waited)) / took,
    p50: result.p50,
    p99: result.p99,
    errors: result.errors,
    rss: candidate.rss(),
    others,
  }
}
