/** autocannon as the load, where there is no wrk: in this process, times in whole milliseconds. */
import autocannon from 'autocannon'
import { headersOf } from './asks.ts'
import type { HttpLoad, LoadResult } from './load.ts'

/** Runs it once. */
export async function runAutocannon({
  url,
  asks,
  connections,
  seconds,
  rate,
}: HttpLoad): Promise<LoadResult> {
  const bodies = new Set(asks.map(({ expected }) => expected.body))
  const isAnyOther = asks.some(({ expected }) => (expected.status ?? 200) >= 300)
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: asks.map((ask) => ({ ...ask, headers: headersOf(ask) })),
    verifyBody: (found) => bodies.has(found),
    ...(rate === undefined ? {} : { overallRate: Math.round(rate) }),
  })
  const { latency, errors, mismatches, non2xx } = result
  return {
    seconds: result.duration,
    answers: result.requests.total,
    p50: latency.p50,
    p99: latency.p99,
    max: latency.max,
    errors: errors + mismatches + (isAnyOther ? 0 : non2xx),
  }
}
