/** h2load as the load: requests over TLS, many streams on few connections, or over HTTP/1.1. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** What came of it. */
export interface H2loadResult {
  readonly answers: number
  /** A second. */
  readonly rate: number
  /** Requests that have failed, and responses that are not 2xx. */
  readonly errors: number
}

/** Requests on their way: connections, and streams of each. HTTP/1.1 has a connection for each. */
const shapes = { '2': ['-c', '8', '-m', '8'], '1.1': ['-c', '64', '-m', '1', '--h1'] } as const

/** Versions of HTTP that can be asked. */
export type Version = keyof typeof shapes

/** Runs h2load for a time, or for a number of requests. @throws Error when its report cannot be read */
export async function runH2load(
  url: string,
  version: Version,
  amount: { readonly seconds: number } | { readonly requests: number },
): Promise<H2loadResult> {
  const end = 'seconds' in amount ? ['-D', `${amount.seconds}`] : ['-n', `${amount.requests}`]
  const args = [...shapes[version], ...end, url]
  const { stdout } = await promisify(execFile)('h2load', args)
  const number = (pattern: RegExp): number => {
    const found = pattern.exec(stdout)?.[1]
    if (found === undefined) throw new Error(`h2load said: ${stdout}`)
    return Number(found)
  }
  const answers = number(/(\d+) 2xx/)
  const failed = number(/(\d+) failed/)
  return {
    answers,
    rate: number(/, ([\d.]+) req\/s/),
    errors: failed + number(/(\d+) 4xx/) + number(/(\d+) 5xx/),
  }
}
