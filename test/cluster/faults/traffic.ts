/** Fifty requests a second of users who log in, call, and refresh, beside loads; and what became of them. */
import { holdsWithin, postJson } from '#test/cluster/cluster.ts'
import { type FaultSetup, password, realm_uri, users } from './setup.ts'

/** Milliseconds between two requests. */
const tickMs = 20
/** How long clients wait for an answer; milliseconds. */
const patienceMs = 3_000
/** Milliseconds between two uses of a refresh token, and between two tries of one. */
const refreshMs = { next: 3_000, again: 500 }
const loadMs = 1_000
/** Failures closer together than this are one outage; milliseconds. */
const gapMs = 1_000
/** Within which a load is on each gateway of a busy machine, once all of them are well; milliseconds. */
const arrivalMs = 60_000

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** What happened since the last reset. */
export class Tally {
  readonly outcomes = new Map<string, number>()
  readonly #failures: number[] = []
  /** Successes since the last failure. */
  unbroken = 0

  note(kind: string, outcome: string, isFailure: boolean): void {
    const key = `${kind} ${outcome}`
    this.outcomes.set(key, (this.outcomes.get(key) ?? 0) + 1)
    this.unbroken = isFailure ? 0 : this.unbroken + 1
    if (isFailure) this.#failures.push(Date.now())
  }

  /** From the first to the last failure of a row of them, at most, for the report; milliseconds. */
  get longestOutage(): number {
    let [longest, start, last] = [0, 0, Number.NEGATIVE_INFINITY]
    for (const at of this.#failures.toSorted((a, b) => a - b)) {
      if (at - last > gapMs) start = at
      last = at
      longest = Math.max(longest, at - start)
    }
    return longest
  }
}

export class FaultTraffic {
  /** By way of HAProxy. */
  all = new Tally()
  /** Calls at the gateway that no fault happens to. */
  spared = new Tally()
  /** Logins that were ended: invalid_grant for a token that its client was given last. */
  readonly killed: string[] = []
  readonly #setup: FaultSetup
  readonly #tokens = new Map<string, Tokens>()
  /** Of each id the last version that was acknowledged, and the last one that was sent. */
  readonly #loads = new Map<string, { acknowledged: number; sent: number }>()
  #isOver = false
  #running: Promise<unknown> = Promise.resolve()

  constructor(setup: FaultSetup) {
    this.#setup = setup
  }

  /** Logs everybody in and begins. */
  async start(): Promise<void> {
    for (const username of users) {
      const tokens = await this.#grant({ grant_type: 'password', username, password })
      if (typeof tokens === 'string') throw new Error(`login: ${tokens}`)
      this.#tokens.set(username, tokens)
    }
    this.#running = Promise.all([
      this.#request(),
      this.#load(),
      ...users.map((username) => this.#refresh(username)),
    ])
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await this.#running
  }

  /** Begins to count anew. */
  reset(): void {
    this.all = new Tally()
    this.spared = new Tally()
  }

  /** Loads that were acknowledged by now and are not there {@link arrivalMs} later, on any of the gateways. */
  async lost(): Promise<string[]> {
    const acknowledged = new Map([...this.#loads].map(([id, load]) => [id, load.acknowledged]))
    let missing: string[] = []
    await holdsWithin(arrivalMs, async () => {
      missing = await this.#missing(acknowledged)
      return missing.length === 0
    })
    return missing
  }

  async #missing(acknowledged: ReadonlyMap<string, number>): Promise<string[]> {
    const found: string[] = []
    for (const { adminUrl } of this.#setup.gateways) {
      for (const [id, least] of acknowledged) {
        if (least === 0) continue
        const answer = await fetch(`${adminUrl}/api_specs/${id}`)
        const { variables } = (await answer.json()) as { variables?: { version: number } }
        if ((variables?.version ?? 0) < least) found.push(`${adminUrl} ${id} ${least}`)
      }
    }
    return found
  }

  async #request(): Promise<void> {
    const { url, gateways } = this.#setup
    const [, spared] = gateways
    for (let n = 0; !this.#isOver; n++) {
      const { access_token = '' } = this.#tokens.get(users[n % users.length] ?? '') ?? {}
      const direct = n % 4 === 0
      void this.#call(direct ? spared.url : url, access_token, direct ? this.spared : this.all)
      await wait(tickMs)
    }
  }

  async #call(base: string, token: string, tally: Tally): Promise<void> {
    try {
      const answer = await fetch(`${base}/v1/orders`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(patienceMs),
      })
      const body = await answer.text()
      const code = answer.status === 200 ? '' : ` ${body.slice(0, 60).replaceAll('\n', ' ')}`
      tally.note('call', `${answer.status}${code}`, answer.status !== 200)
    } catch (cause) {
      tally.note('call', cause instanceof Error ? cause.name : 'no answer', true)
    }
  }

  /** A client that keeps its login: what is not answered it sends again, and the next token after a while. */
  async #refresh(username: string): Promise<void> {
    while (!this.#isOver) {
      await wait(refreshMs.next)
      const { refresh_token = '' } = this.#tokens.get(username) ?? {}
      for (let isDone = false; !isDone && !this.#isOver; ) {
        const tokens = await this.#grant({ grant_type: 'refresh_token', refresh_token })
        const outcome = typeof tokens === 'string' ? tokens : '200'
        this.all.note('refresh', outcome, outcome !== '200')
        if (typeof tokens !== 'string') this.#tokens.set(username, tokens)
        if (outcome.includes('invalid_grant')) {
          this.killed.push(`${new Date().toISOString()} ${username}`)
          return
        }
        isDone = outcome === '200'
        if (!isDone) await wait(refreshMs.again)
      }
    }
  }

  async #grant(fields: Readonly<Record<string, string>>): Promise<Tokens | string> {
    try {
      const answer = await fetch(`${this.#setup.url}/v1/oauth/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`app:${password}`)}` },
        body: new URLSearchParams(fields),
        signal: AbortSignal.timeout(patienceMs),
      })
      const text = await answer.text()
      return answer.status === 200
        ? (JSON.parse(text) as Tokens)
        : `${answer.status} ${/"error":"(\w+)"/.exec(text)?.[1] ?? ''}`
    } catch (cause) {
      return cause instanceof Error ? cause.name : 'no answer'
    }
  }

  /** Loads of twenty ids, at the gateway that no fault happens to. */
  async #load(): Promise<void> {
    const { adminUrl } = this.#setup.gateways[1]
    for (let version = 1; !this.#isOver; version++) {
      const id = `com.example.load-${version % 20}`
      const entry = this.#loads.get(id) ?? { acknowledged: 0, sent: 0 }
      this.#loads.set(id, entry)
      entry.sent = version
      // random text: the database must need room for it
      const filler = Array.from({ length: 3_000 }, () => Math.random().toString(36).slice(2)).join(
        '',
      )
      const path = { get: { action: { type: 'static', body: version }, response: {} } }
      const document = {
        ...{ id, host: '_', realm_uri, variables: { version, filler } },
        versions: { one: { base_path: `/load-${version % 20}`, paths: { '/x': path } } },
      }
      try {
        const { status, body } = await postJson(`${adminUrl}/api_specs`, document)
        const isDone = status === 200 || status === 201
        if (isDone) entry.acknowledged = version
        this.all.note('load', `${status} ${isDone ? '' : (body.code ?? '')}`.trim(), !isDone)
      } catch (cause) {
        this.all.note('load', cause instanceof Error ? cause.name : 'no answer', true)
      }
      await wait(loadMs)
    }
  }
}
