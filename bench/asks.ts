/** Requests of a scenario, and the answers that are right. */
import { randomUUID } from 'node:crypto'

/** A request. */
export interface Ask {
  /** Default: GET. */
  readonly method?: string
  readonly path: string
  /** Beside its content type. */
  readonly headers?: Readonly<Record<string, string>>
  /** A header that has a new value in each request. */
  readonly fresh?: string
  /** JSON. */
  readonly body?: string
  readonly expected: {
    /** Default: 200. */
    readonly status?: number
    /** Default: application/json. */
    readonly type?: string
    readonly body: string
  }
}

/** @param value of the header that is new in each request */
export const headersOf = (
  { body, headers, fresh }: Ask,
  value: string = randomUUID(),
): Record<string, string> => ({
  ...(fresh !== undefined && { [fresh]: value }),
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  ...headers,
})

/** Asks each once and compares. @throws Error when an answer is not the expected one */
export async function checkAnswers(name: string, url: string, asks: readonly Ask[]): Promise<void> {
  for (const ask of new Set(asks)) {
    const { method = 'GET', path, body = null, expected } = ask
    const answer = await fetch(`${url}${path}`, { method, body, headers: headersOf(ask) })
    const found = await answer.text()
    const type = answer.headers.get('content-type') ?? ''
    const isRight = answer.status === (expected.status ?? 200) && found === expected.body
    if (!isRight || !type.startsWith(expected.type ?? 'application/json')) {
      const shown = `${answer.status} ${type} ${found}`
      throw new Error(`${name} ${method} ${path}: ${shown}; expected ${expected.body}`)
    }
  }
}
