/** A gateway with kept answers, whose action is a double and whose time is moved by hand. */
import type { Readable } from 'node:stream'
import type { Outcome } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { forEachType } from '#component/security/kinds.ts'
import type { SecurityScheme } from '#component/security/scheme.ts'
import {
  type Ask,
  bodyOf,
  call,
  documentOf,
  type Performer,
  serve,
} from '#test/unit/gateway/fake-exchange.ts'
import { policyPorts } from './policy-ports.ts'

/** A clock that a test moves. */
export class HandClock implements Clock {
  #now: number
  #timers: { readonly at: number; readonly callback: () => void }[] = []

  constructor(now = 0) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  random(): number {
    return 0
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer)
    }
  }

  /** Moves on by so many seconds, and calls back what is due. */
  pass(seconds: number): void {
    this.#now += seconds * 1000
    const due = this.#timers.filter(({ at }) => at <= this.#now)
    this.#timers = this.#timers.filter((timer) => !due.includes(timer))
    for (const { callback } of due) callback()
  }
}

/** The user is named by the Authorization field, the role behind it, and a claim behind that. */
const scheme: SecurityScheme = {
  authenticate(request) {
    const [username = '', role = 'user', email] = (request.header('authorization') ?? '').split(' ')
    return {
      ...{ realm_uri: 'com.example.realm', username, authid: username, authmethod: 'basic' },
      ...{ authroles: [role], groups: [], meta: {} },
      ...(email && { claims: { email } }),
    }
  },
}
const schemes = forEachType(() => scheme)
export const security = { type: 'basic' }

export const counted = call({}, { body: '{{action.result.args |> head}}' })
export const get = { cache: { ttl: 60 }, get: counted }
export const forwarded = {
  action: { type: 'forward', host: 'http://127.0.0.1:9' },
  response: { on_result: {}, on_error: {} },
}

/** A gateway whose action tells how often it has run. */
export function cached(
  paths: object,
  {
    perform,
    origins = '*' as string | readonly string[],
  }: {
    perform?: Performer
    origins?: string | readonly string[]
  } = {},
) {
  const clock = new HandClock(Date.UTC(2026, 0, 1))
  let runs = 0
  const count: Performer = (performed) => {
    runs += 1
    return perform?.(performed) ?? resultOf(runs)
  }
  const served = serve(
    documentOf(paths),
    count,
    undefined,
    schemes,
    origins,
    undefined,
    policyPorts({}, clock),
  )
  return {
    clock,
    served,
    runs: () => runs,
    ask: (line: string, ask?: Ask): Promise<Reply> => served.ask(line, ask),
    /** What was answered, and how. */
    async tell(line = 'GET /v1/x', ask?: Ask): Promise<[unknown, unknown, unknown]> {
      const reply = await served.ask(line, ask)
      return [textOf(reply), reply.headers.age, reply.headers['cache-status']]
    },
    /** The numbers of the runs that requests were answered by. */
    async runsOf(asks: readonly (readonly [line: string, headers?: Ask['headers']])[]) {
      const answers: unknown[] = []
      for (const [line, headers = {}] of asks) {
        answers.push(textOf(await served.ask(line, { headers })))
      }
      return answers.join(' ')
    },
  }
}

export const resultOf = (value: unknown): Outcome => ({
  result: { request_id: 1, details: {}, args: [value], kwargs: {} },
})

/** An upstream's answer. */
export const answerOf = (
  headers: Readonly<Record<string, string>>,
  body: Uint8Array | Readable = Buffer.from('a'),
  status_code = 200,
): Outcome => ({
  result: { status_code, headers, body: '', uri: '' },
  answer: { status_code, headers, body, length: undefined },
})

export const textOf = (reply: Reply): unknown => {
  const body = bodyOf(reply)
  return body instanceof Uint8Array ? Buffer.from(body).toString() : body
}

/** A promise with its ends. */
export const later = () => Promise.withResolvers<Outcome>()

/** Lets everything run that waits for nothing. */
export const settle = () => new Promise((resolve) => setImmediate(resolve))
