/** What the soak looks at: live heap, resident memory, series, stalls of a scrape, and what the store holds. */
import { DatabaseSync } from 'node:sqlite'
import { WebSocket } from 'ws'
import type { Soaked } from './setup.ts'

/** Asks the inspector of a process. @throws Error when it refuses */
async function inspect(
  url: string,
  methods: readonly (readonly [string, object])[],
): Promise<unknown> {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let result: unknown
  try {
    for (const [index, [method, params]] of methods.entries()) {
      const answer = new Promise<{ result?: unknown; error?: { message: string } }>((resolve) => {
        socket.on('message', (text) => {
          const message = JSON.parse(String(text)) as {
            id?: number
            result?: unknown
            error?: { message: string }
          }
          if (message.id === index) resolve(message)
        })
      })
      socket.send(JSON.stringify({ id: index, method, params }))
      const found = await answer
      if (found.error) throw new Error(`${method}: ${found.error.message}`)
      result = found.result
    }
  } finally {
    socket.close()
  }
  return result
}

/** JavaScript heap that is in use after a collection; MB. */
export async function liveHeap({ inspector }: Soaked): Promise<number> {
  const found = await inspect(inspector, [
    ['HeapProfiler.enable', {}],
    ['HeapProfiler.collectGarbage', {}],
    ['HeapProfiler.collectGarbage', {}],
    ['HeapProfiler.disable', {}],
    ['Runtime.getHeapUsage', {}],
  ])
  return (found as { usedSize: number }).usedSize / 2 ** 20
}

/** What a scrape says. */
export interface Scrape {
  /** Series of requests: one for each method, route and status. */
  readonly series: number
  readonly statuses: number
  /** Longest stall of the event loop since the scrape before; milliseconds. */
  readonly longestStall: number
}

/** Scrapes once. */
export async function scrape({ gateway }: Soaked): Promise<Scrape> {
  const text = await (await fetch(`${gateway.admin}/metrics`)).text()
  const series = text.match(/^gateway_http_requests_total\{.*$/gm) ?? []
  const statuses = new Set(series.map((line) => /status="(\d+)"/.exec(line)?.[1]))
  const stall = /^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]
  return {
    series: series.length,
    statuses: statuses.size,
    longestStall: Number(stall ?? Number.NaN) * 1000,
  }
}

/** How long scrapes hold the event loop while nothing else goes on: the median of several; milliseconds. */
export async function scrapeStall(soaked: Soaked): Promise<number> {
  const stalls: number[] = []
  await scrape(soaked)
  for (let count = 0; count < 9; count += 1) stalls.push((await scrape(soaked)).longestStall)
  return stalls.sort((a, b) => a - b)[4] ?? Number.NaN
}

/** What an SQLite store holds of documents with these ids, and pages in all; bytes. */
export function storeOf(
  folder: string,
  ids: readonly string[],
): { readonly documents: number; readonly pages: number } {
  const database = new DatabaseSync(`${folder}/gateway.db`, { readOnly: true })
  try {
    const number = (sql: string, ...values: string[]) =>
      Number(Object.values(database.prepare(sql).get(...values) ?? {})[0] ?? 0)
    const documents = ids.map((id) =>
      number(
        `select sum(100 + coalesce(length(document), 0)) from
          (select document from entries where id = ? union all select document from versions where id = ?)`,
        id,
        id,
      ),
    )
    const pages = number('pragma page_count') - number('pragma freelist_count')
    return {
      documents: documents.reduce((sum, bytes) => sum + bytes, 0),
      pages: pages * number('pragma page_size'),
    }
  } finally {
    database.close()
  }
}
