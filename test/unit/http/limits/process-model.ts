/** A model of a process whose load is shed: turns of an event loop, clients that ask again, a neighbour that takes the processor. */
import { InFlight } from '#component/in-flight.ts'
import { OverloadGuard } from '#http/limits/overload.ts'
import { Workload } from '#http/limits/workload.ts'

/** Clients of one kind; times in milliseconds. */
export interface Clients {
  readonly count: number
  /** What one request takes of the processor, and what refusing it takes. */
  readonly cost: number
  readonly refusal?: number
  /** How long a backend thinks before its answer. */
  readonly backend?: number
  /** How long a client rests between an answer and the next request. */
  readonly rest?: number
  /** Its answer is a stream that stands. */
  readonly isStream?: boolean
  /** When they come and go; seconds. */
  readonly from?: number
  readonly until?: number
}

/** What a second of the model has brought. */
export interface Second {
  /** When it ended; seconds. */
  readonly at: number
  readonly served: number
  readonly refused: number
  /** The longest time of a request that was served, without the time of its backend; ms. */
  readonly longest: number
  readonly pressure: string
}

interface Request {
  readonly clients: Clients
  readonly askedAt: number
  readonly stream?: unknown
}

/**
 * Runs it for so many seconds.
 * @param stall how long a neighbour keeps the processor in each turn of the loop from that second on
 * @returns one entry a second that has been looked at; a loop that is late skips some
 */
export function simulate(
  groups: readonly Clients[],
  seconds: number,
  stall: { readonly ms: number; readonly from: number } = { ms: 0, from: 0 },
): readonly Second[] {
  let now = 0
  /** What the loop has to do, by the millisecond from which on it can. */
  const events: (() => void)[][] = []
  /** The milliseconds before have been looked at. */
  let next = 0
  const afterTurn: (() => void)[] = []
  const inFlight = new InFlight<Request, number>()
  const workload = new Workload(
    inFlight,
    () => now,
    (callback) => afterTurn.push(callback),
  )
  const at = (time: number, run: () => void) => {
    const index = Math.max(Math.ceil(time), next)
    const there = events[index]
    if (there) there.push(run)
    else events[index] = [run]
  }
  const found: Second[] = []
  let second = { served: 0, refused: 0, longest: 0, delay: 0 }
  const clock = {
    now: () => now,
    random: () => 0,
    after: (ms: number, callback: () => void) => {
      at(now + ms, callback)
      return () => undefined
    },
  }
  const guard = new OverloadGuard(
    clock,
    () => {
      const { delay, ...rest } = second
      found.push({ ...rest, at: now / 1000, pressure: guard.pressure })
      second = { served: 0, refused: 0, longest: 0, delay: 0 }
      return { delay, memory: 0 }
    },
    workload,
    4,
  )

  const ask = (clients: Clients, askedAt: number) =>
    at(askedAt, () => {
      if (clients.until !== undefined && askedAt >= clients.until * 1000) return
      const request = { clients, askedAt, ...(clients.isStream && { stream: {} }) }
      inFlight.set(request, now)
      const came = now
      const pressure = guard.pressureNow()
      if (pressure !== 'none') {
        guard.refused(pressure)
        inFlight.delete(request)
        now += clients.refusal ?? clients.cost / 10
        second.refused += 1
        ask(clients, now + (clients.rest ?? 0))
        return
      }
      now += clients.cost
      if (clients.isStream) return
      const { backend = 0 } = clients
      const answer = () => {
        inFlight.delete(request)
        workload.over(now - came)
        second.served += 1
        second.longest = Math.max(second.longest, now - askedAt - backend)
        ask(clients, now + (clients.rest ?? 0))
      }
      if (backend === 0) answer()
      else at(now + backend, answer)
    })

  for (const clients of groups) {
    for (let index = 0; index < clients.count; index++) {
      // they do not come in one moment
      ask(clients, (clients.from ?? 0) * 1000 + (index * 1000) / clients.count)
    }
  }
  guard.start()
  while (now < seconds * 1000) {
    const began = now
    if (began >= stall.from * 1000) now += stall.ms
    const due = events.slice(next, Math.floor(now) + 1).flat()
    next = Math.max(next, Math.floor(now) + 1)
    for (const run of due) run()
    for (const callback of afterTurn.splice(0)) callback()
    second.delay = Math.max(second.delay, now - began)
    if (now === began) now = next
  }
  return found
}
