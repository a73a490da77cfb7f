/** WAMP calls as the load: a client of its own process, so that it is accounted like wrk. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CallLoad, LoadResult } from './load.ts'

const client = join(import.meta.dirname, 'peers/caller.ts')

/** Runs it once. */
export async function runCalls(load: CallLoad): Promise<LoadResult> {
  const { routerUrl, realm, procedure, inFlight, seconds } = load
  const args = [routerUrl, realm, procedure, String(inFlight), String(seconds)]
  const { stdout } = await promisify(execFile)(process.execPath, [client, ...args])
  return JSON.parse(stdout) as LoadResult
}
