/** What a rolling restart must not interrupt: a document, and a load that counts every answer. */
import { Agent } from 'node:http'
import { send } from '#test/support/load.ts'

/** Requests in each tick: 300 a second. */
const tick = 20
const perTick = 6

/** Answers with what it was asked. */
export const rollingDocument = {
  id: 'com.example.rolling',
  host: '_',
  realm_uri: 'com.example.test',
  versions: {
    '1.0.0': {
      base_path: '/rolling',
      paths: {
        '/:n': {
          get: { action: { type: 'static', body: { n: '{{request.bindings.n}}' } }, response: {} },
          post: { action: { type: 'static', body: { n: '{{request.body.n}}' } }, response: {} },
        },
      },
    },
  },
}

/** 300 requests a second: GET and POST, on connections kept alive and on new ones. */
export class SteadyLoad {
  readonly failures: string[] = []
  answered = 0
  readonly #base: string
  readonly #keptAlive = new Agent({ keepAlive: true, maxSockets: 64 })
  readonly #timer: NodeJS.Timeout
  readonly #pending = new Set<Promise<void>>()
  #sent = 0

  constructor(base: string) {
    this.#base = base
    this.#timer = setInterval(() => {
      for (let index = 0; index < perTick; index++) this.#ask()
    }, tick)
  }

  #ask(): void {
    const n = ++this.#sent
    const isPost = n % 2 === 0
    const agent = n % 4 < 2 ? this.#keptAlive : new Agent({ keepAlive: false })
    const ask = { url: `${this.#base}/rolling/${n}`, ...(isPost ? { body: { n: String(n) } } : {}) }
    const asked = send(ask, agent).then(
      ({ status, body }) => {
        if (status !== 200 || body !== JSON.stringify({ n: String(n) })) {
          this.failures.push(`${n}: ${status} ${body.slice(0, 100)}`)
        }
        this.answered++
      },
      (cause: unknown) => {
        this.failures.push(`${n}: ${String(cause)}`)
      },
    )
    this.#pending.add(asked)
    void asked.finally(() => this.#pending.delete(asked))
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#pending)
    this.#keptAlive.destroy()
  }
}
