/** Ordinary requests beside an attack: 50 a second from another address, and what became of each. */
import { Agent, get } from 'node:http'
import { get as getSecurely, Agent as SecureAgent } from 'node:https'
import type { Target } from './attack.ts'

/** Milliseconds between two requests. */
const interval = 20

/** Another address than that of the attacks. */
const localAddress = '127.0.0.2'

/** What became of a request; times in milliseconds. */
export interface Outcome {
  readonly sentAt: number
  readonly took: number
  /** How long the event loop of the gateway ran meanwhile: what the request has waited for the gateway itself. */
  readonly ran: number
  /** How long it was ready to run meanwhile, and other work had the processors. */
  readonly waited: number
  /** 0: no answer. */
  readonly status: number
  /** A 503 says when to come again. */
  readonly hasRetryAfter: boolean
  readonly problem?: string
}

/** Since the gateway has started, milliseconds. */
export interface Schedule {
  readonly ran: number
  readonly waited: number
}

function ask(url: string, agent: Agent, schedule: () => Schedule): Promise<Outcome> {
  const sentAt = performance.now()
  const before = schedule()
  return new Promise((resolve) => {
    const settle = (status: number, hasRetryAfter: boolean, problem?: string) => {
      const took = performance.now() - sentAt
      const after = schedule()
      const [ran, waited] = [after.ran - before.ran, after.waited - before.waited]
      resolve({
        ...{ sentAt, took, ran, waited, status, hasRetryAfter },
        ...(problem !== undefined && { problem }),
      })
    }
    const begin = url.startsWith('https:') ? getSecurely : get
    const request = begin(url, { agent, localAddress, timeout: 30_000 }, (answer) => {
      answer.resume().on('end', () => {
        settle(answer.statusCode ?? 0, answer.headers['retry-after'] !== undefined)
      })
      answer.on('error', (error) => settle(0, false, error.message))
    })
    request.on('timeout', () => request.destroy(new Error('no answer in half a minute')))
    request.on('error', (error) => settle(0, false, error.message))
  })
}

/** Keeps connections; the certificate of the gateway is one of the tests. */
const agentFor = (url: string): Agent =>
  url.startsWith('https:')
    ? new SecureAgent({ keepAlive: true, rejectUnauthorized: false })
    : new Agent({ keepAlive: true })

/** A busy moment before an attack, so that code is compiled and the heap has the size that it has in use. */
export async function warmUp({ url, paths }: Target): Promise<void> {
  const schedule = () => ({ ran: 0, waited: 0 })
  const agent = agentFor(url)
  const asked = [paths.static, paths.call, paths.forward]
  const client = async () => {
    for (let count = 0; count < 300; count++)
      await ask(`${url}${asked[count % 3]}`, agent, schedule)
  }
  await Promise.all(Array.from({ length: 20 }, client))
  agent.destroy()
}

/** Static answers, calls and forwards in turn; begins at once. */
export class OrdinaryClients {
  readonly #agent: Agent
  readonly #timer: NodeJS.Timeout
  readonly #pending = new Set<Promise<void>>()
  #outcomes: Outcome[] = []

  /** @param schedule of the event loop of the gateway, now */
  constructor({ url, paths }: Target, schedule: () => Schedule) {
    this.#agent = agentFor(url)
    const asked = [paths.static, paths.call, paths.forward]
    let count = 0
    this.#timer = setInterval(() => {
      const path = asked[count++ % asked.length]
      const done: Promise<void> = ask(`${url}${path}`, this.#agent, schedule).then((outcome) => {
        this.#pending.delete(done)
        this.#outcomes.push(outcome)
      })
      this.#pending.add(done)
    }, interval)
  }

  /** What has been answered, or has failed, since the last time. */
  take(): readonly Outcome[] {
    const taken = this.#outcomes
    this.#outcomes = []
    return taken
  }

  /** Sends no more and waits for the answers. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#pending)
    this.#agent.destroy()
  }
}
