/** Clients that open one new connection after the other, for one request each: some process must answer, whichever has ended. */
import { connect } from 'node:net'

/** A connection that is not answered within this counts as late; milliseconds. */
const limit = 20_000

/** What became of the connections: `refused`, `broken` after it was accepted, `late`, or the status of the answer. */
export type Outcomes = Readonly<Record<string, number>>

function attempt(url: URL): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(url.port), url.hostname)
    let isAccepted = false
    let answer = ''
    const timer = setTimeout(() => {
      resolve('late')
      socket.destroy()
    }, limit)
    socket.on('connect', () => {
      isAccepted = true
      socket.write(`GET ${url.pathname} HTTP/1.1\r\nHost: ${url.host}\r\nConnection: close\r\n\r\n`)
    })
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      const status = /^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]
      resolve(status ?? (isAccepted ? 'broken' : 'refused'))
    })
  })
}

/** Runs until it is stopped. */
export class ConnectionAttempts {
  readonly #counts = new Map<string, number>()
  readonly #clients: readonly Promise<void>[]
  #isStopped = false

  constructor(url: string, clients = 8) {
    this.#clients = Array.from({ length: clients }, () => this.#run(new URL(url)))
  }

  get outcomes(): Outcomes {
    return Object.fromEntries(this.#counts)
  }

  /** Waits for the connections that are open; what became of all. */
  async stop(): Promise<Outcomes> {
    this.#isStopped = true
    await Promise.all(this.#clients)
    return this.outcomes
  }

  async #run(url: URL): Promise<void> {
    while (!this.#isStopped) {
      const outcome = await attempt(url)
      this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + 1)
    }
  }
}
