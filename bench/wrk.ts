/** wrk as the load: one thread, every answer compared by wrk.lua. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { headersOf } from './asks.ts'
import type { HttpLoad, LoadResult } from './load.ts'

const script = join(import.meta.dirname, 'wrk.lua')

/** wrk.lua puts a new value in its place in each request. */
const freshValue = 'FRESH'

/** Lua's spelling of a text: every byte that means something is written as a number. */
const text = (value: string): string =>
  `"${[...Buffer.from(value)]
    .map((byte) =>
      byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x5c
        ? `\\${String(byte).padStart(3, '0')}`
        : String.fromCharCode(byte),
    )
    .join('')}"`

/**
 * How long the server has to accept all connections before the first request; milliseconds. libuv accepts one in a turn of the
 * event loop: those that come to a busy server wait, each for as many turns as there are others before it.
 */
const openingMs = 300

function planOf({ asks, connections, rate }: Omit<HttpLoad, 'seconds' | 'url'>): string {
  const written = asks.map((ask) => {
    const headers = Object.entries(headersOf(ask, freshValue)).map(
      ([name, value]) => `[${text(name)}]=${text(value)}`,
    )
    const body = ask.body === undefined ? '' : `,body=${text(ask.body)}`
    const fresh = ask.fresh === undefined ? '' : ',fresh=true'
    return `{method=${text(ask.method ?? 'GET')},path=${text(ask.path)},headers={${headers}}${body}${fresh}}`
  })
  const byStatus = Map.groupBy(asks, ({ expected }) => expected.status ?? 200)
  const expected = [...byStatus].map(([status, all]) => {
    const bodies = new Set(all.map((ask) => ask.expected.body))
    return `[${status}]={${[...bodies].map((body) => `[${text(body)}]=true`)}}`
  })
  const pause = rate === undefined ? '' : `pause=${(connections / rate) * 1000},`
  const opening = `connections=${connections},opening=${openingMs}`
  return `return {${pause}${opening},asks={${written}},expected={${expected}}}\n`
}

/** Runs it once. */
export async function runWrk(load: HttpLoad): Promise<LoadResult> {
  const { url, connections } = load
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  try {
    const plan = join(folder, 'plan.lua')
    writeFileSync(plan, planOf(load))
    const seconds = load.seconds + openingMs / 1000
    const whole = Math.ceil(seconds)
    const flags = ['-t1', `-c${connections}`, `-d${whole}s`, '--timeout', '10s', '-s', script, url]
    const running = promisify(execFile)('wrk', [...flags, '--', plan])
    // wrk counts in whole seconds, and sums up when it is interrupted
    const early = setTimeout(() => running.child.kill('SIGINT'), seconds * 1000)
    const { stdout } = await running
    clearTimeout(early)
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as LoadResult
  } finally {
    rmSync(folder, { recursive: true })
  }
}
