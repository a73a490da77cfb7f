/** An HTTP server that numbers its answers, so that a test sees which of them come from a cache. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CacheCase, fieldsAt } from '#test/cases/shared-cache.ts'
import { send } from './http-request.ts'

/** Answers as `answers` says for the path, and notes what was asked. */
export class NumberedUpstream {
  readonly asked: string[] = []
  readonly answers = new Map<string, () => { status?: number; headers: Record<string, string> }>()
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => {
      const { method = '', url = '' } = request
      const [path = ''] = url.split('?')
      this.asked.push(`${method} ${url}`)
      const { status = 200, headers = {} } = this.answers.get(`${method} ${path}`)?.() ?? {}
      response.writeHead(status, { ...headers, 'x-number': String(this.asked.length) })
      response.end(status === 206 ? 'a' : `answer ${this.asked.length}`)
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

/**
 * Sends the requests of a case through a cache in front of the upstream.
 * @param url unlike that of any other case
 * @returns whether the second one was answered from the first
 */
export async function isReusedBy(
  base: string,
  upstream: NumberedUpstream,
  row: CacheCase,
  url: string,
): Promise<boolean> {
  const { first, status = 200, between, second, path = '' } = row
  const answer = () => ({ status, headers: fieldsAt(row, Date.now()) })
  upstream.answers.set(`GET ${url}`, answer)
  upstream.answers.set(`GET ${url}${path}`, answer)
  await send(base, url, first && { headers: first })
  if (between) {
    const { method } = between
    upstream.answers.set(`${method} ${url}`, () => ({ status: between.status, headers: {} }))
    await send(base, url, { method })
  }
  const before = upstream.asked.length
  await send(base, `${url}${path}`, second && { headers: second })
  return upstream.asked.length === before
}
