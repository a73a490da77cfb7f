/** One round of load on one candidate. */
import autocannon from 'autocannon'
import type { Candidate } from './scenarios.ts'

/** What a round came to. */
export interface Round {
  /** Answers per second. */
  readonly rate: number
  /** Of the candidate's process, microseconds a request. */
  readonly cpu: number
  /** How busy the candidate was: 1 is one core. */
  readonly cores: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Failed connections, timeouts, answers with another status or another body. */
  readonly errors: number
  /** MB, at the end. */
  readonly rss: number
}

/** Asks once and compares. @throws Error when the answer is not the expected one */
export async function checkAnswers({ name, url, paths, body }: Candidate): Promise<void> {
  for (const path of new Set(paths)) {
    const answer = await fetch(`${url}${path}`)
    const found = await answer.text()
    const type = answer.headers.get('content-type') ?? ''
    if (answer.status !== 200 || found !== body || !type.startsWith('application/json')) {
      throw new Error(`${name} ${path}: ${answer.status} ${type} ${found}; expected ${body}`)
    }
  }
}

/** Sends as fast as the answers come, from this process, which has nothing else to do meanwhile. */
export async function measure(
  candidate: Candidate,
  connections: number,
  seconds: number,
): Promise<Round> {
  const { process, url, paths, body } = candidate
  const cpuBefore = process.cpu()
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    requests: paths.map((path) => ({ path })),
    verifyBody: (found) => found === body,
  })
  const cpu = process.cpu() - cpuBefore
  const answers = result.requests.total
  return {
    rate: answers / result.duration,
    cpu: cpu / answers,
    cores: cpu / (result.duration * 1e6),
    p50: result.latency.p50,
    p99: result.latency.p99,
    errors: result.errors + result.non2xx + result.mismatches,
    rss: process.rss(),
  }
}
