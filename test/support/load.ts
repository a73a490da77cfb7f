/** A load on gateways: clients with a connection each, kept alive, that send one request after the other. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { type AgentOptions, Agent as SecureAgent, request as secureRequest } from 'node:https'
import { until } from '#test/support/running/until.ts'

/** One request; tests extend it by what they want to know when it is answered. */
export interface Ask {
  /** Whole. */
  readonly url: string
  readonly method?: string
  /** Sent as JSON. */
  readonly body?: unknown
}

/** A complete answer. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** From the sending of the request to the end of its answer; milliseconds. */
  readonly took: number
}

/** What a load consists of. */
export interface LoadPlan<A extends Ask> {
  readonly clients: number
  /** Pause of a client between an answer and its next request; milliseconds, default 0. */
  readonly pause?: number
  /** A request that is not answered within this failed; milliseconds, default 10000. */
  readonly limit?: number
  /** Of clients that speak TLS; absent: they do not. */
  readonly tls?: AgentOptions
  /** Makes the next request. */
  readonly ask: () => A
  readonly onAnswer: (answer: Answer, ask: A) => void
}

/** A running load. */
export interface Load {
  /** Requests without a complete answer so far: what happened to each. */
  readonly failures: readonly string[]
  /** Requests answered so far. */
  readonly answered: number
  /** Waits for `count` further answers. @throws Error when they do not come within a minute */
  more(count: number): Promise<void>
  /** Lets each client end its request, and closes the connections. */
  stop(): Promise<void>
}

/** One request over an agent; rejects when there is no complete answer. */
export function send(ask: Ask, agent: Agent, limit = 10_000): Promise<Answer> {
  const sentAt = performance.now()
  const text = ask.body === undefined ? undefined : JSON.stringify(ask.body)
  return new Promise((resolve, reject) => {
    const open = ask.url.startsWith('https:') ? secureRequest : request
    const outgoing = open(ask.url, {
      agent,
      method: ask.method ?? (text === undefined ? 'GET' : 'POST'),
      headers:
        text === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) },
    })
    const timer = setTimeout(() => {
      outgoing.destroy(new Error(`no answer within ${limit} ms`))
    }, limit)
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(error)
    }
    outgoing.on('error', fail)
    outgoing.on('response', (response) => {
      const { statusCode: status = 0, headers } = response
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
      })
      response.on('error', fail)
      response.on('end', () => {
        clearTimeout(timer)
        resolve({ status, headers, body, took: performance.now() - sentAt })
      })
    })
    outgoing.end(text)
  })
}

class RunningLoad<A extends Ask> implements Load {
  readonly failures: string[] = []
  answered = 0
  readonly #plan: LoadPlan<A>
  readonly #clients: readonly Promise<void>[]
  #isStopped = false

  constructor(plan: LoadPlan<A>) {
    this.#plan = plan
    this.#clients = Array.from({ length: plan.clients }, () => this.#run())
  }

  async more(count: number): Promise<void> {
    const goal = this.answered + count
    await until(`${count} further answers`, () => this.answered >= goal, 60_000)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#clients)
  }

  async #run(): Promise<void> {
    const { ask, limit, pause = 0, onAnswer, tls } = this.#plan
    const options = { keepAlive: true, maxSockets: 1, ...tls }
    const agent = tls ? new SecureAgent(options) : new Agent(options)
    while (!this.#isStopped) {
      const next = ask()
      try {
        const answer = await send(next, agent, limit)
        onAnswer(answer, next)
      } catch (error) {
        this.failures.push(`${next.url}: ${error instanceof Error ? error.message : String(error)}`)
      }
      this.answered += 1
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
    }
    agent.destroy()
  }
}

/** Starts a load. */
export const startLoad = <A extends Ask>(plan: LoadPlan<A>): Load => new RunningLoad(plan)

/** The value of a gauge or counter without labels at an admin listener. */
export async function readMetric(adminUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  if (line === undefined) throw new Error(`there is no metric ${name}`)
  return Number(line.slice(name.length + 1))
}
