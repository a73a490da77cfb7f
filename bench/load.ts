/** The ways to put load on a candidate, and what each tells. */
import type { Ask } from './asks.ts'
import { runCalls } from './calls.ts'
import { isInstalled } from './processes.ts'
import { runStreams, type StreamLoad } from './stream-group.ts'
import { runWrk } from './wrk.ts'

/** Requests, each connection's next one as soon as the answer of the last is there. */
export interface HttpLoad {
  readonly url: string
  /** In turn, from the first again. */
  readonly asks: readonly Ask[]
  readonly connections: number
  readonly seconds: number
  /** Requests per second in all, with pauses at random between them; absent: as many as there are answers. */
  readonly rate?: number
}

/** WAMP calls over one session of one client. */
export interface CallLoad {
  readonly routerUrl: string
  readonly realm: string
  readonly procedure: string
  readonly inFlight: number
  readonly seconds: number
}

/** What came of it. */
export interface LoadResult {
  readonly seconds: number
  readonly answers: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  readonly max: number
  /** Failed connections, timeouts, answers with another status or another body. */
  readonly errors: number
}

/** What sends the requests. */
export const generator = isInstalled('wrk') ? 'wrk' : 'autocannon'

/** Sends and compares, for as long as it says. */
export async function runLoad(load: HttpLoad | CallLoad | StreamLoad): Promise<LoadResult> {
  if ('streams' in load) return await runStreams(load)
  if (!('url' in load)) return await runCalls(load)
  if (generator === 'wrk') return await runWrk(load)
  // where there is wrk, it need not be installed
  const { runAutocannon } = await import('./autocannon.ts')
  return await runAutocannon(load)
}
