/** Routes with `idempotency` in front of a store in memory: what is performed, and what is answered. */
import { errorOf, type Outcome, type UpstreamAnswer } from '#component/action/action.ts'
import { systemClock } from '#component/clock.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { KeyShares } from '#component/limits/key-shares.ts'
import type { IdempotencyPorts } from '#component/policies/idempotency/idempotent-request.ts'
import { keyedDigest } from '#component/policies/idempotency/keyed-digest.ts'
import { SecretBox } from '#component/secret-box.ts'
import { forEachType } from '#component/security/kinds.ts'
import type { SecurityScheme } from '#component/security/scheme.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { encodeBody } from '#http/codec.ts'
import {
  type Ask,
  bodyOf,
  call,
  documentOf,
  type Performer,
  serve,
} from '#test/unit/gateway/fake-exchange.ts'
import { policyPorts } from './policy-ports.ts'

const user: SecurityScheme = {
  authenticate(request) {
    const username = String(request.header('authorization'))
    const login = { username, authid: username, authmethod: 'basic' }
    return { realm_uri: 'com.example.realm', ...login, authroles: [], groups: [], meta: {} }
  },
}
const schemes = forEachType(() => user)

export const create = call({}, { body: '{{action.result.kwargs}}', status_code: 201 })

export const upstream = {
  action: { type: 'forward', host: 'http://127.0.0.1:1' },
  response: { on_result: {}, on_error: {} },
}

export const upstreamAnswer = (more: Partial<UpstreamAnswer> = {}): Outcome => {
  const headers = { 'content-type': 'text/plain', date: 'then', 'set-cookie': ['a=1', 'b=2'] }
  const answer = { status_code: 200, headers, body: Buffer.from('done'), length: 4, ...more }
  return { result: { status_code: 200, headers, body: '', uri: '' }, answer }
}

export const own = (uri: Parameters<typeof errorOf>[0], effect?: 'none' | 'unknown'): Outcome => ({
  error: errorOf(uri, 'it failed'),
  reason: 'it failed',
  ...(effect && { effect }),
})

export const result = (n: number | bigint): Outcome => ({
  result: { request_id: 1, details: {}, args: [], kwargs: { n } },
})

/** What a test asks of its routes. */
export interface RouteOptions {
  readonly idempotency?: object | null
  /** Keys of the paths beside it. */
  readonly more?: object
  readonly version?: object
  readonly ports?: Partial<IdempotencyPorts>
}

/** One for each test. */
export class IdempotentRoutes {
  readonly store: Store
  /** Timers that run. */
  renewals: (() => void)[] = []
  /** Why answers could not be kept. */
  readonly unkept: unknown[] = []

  private constructor(store: Store) {
    this.store = store
  }

  static async open(): Promise<IdempotentRoutes> {
    return new IdempotentRoutes(await openStore('sqlite::memory:', systemClock))
  }

  /** Serves `/x`, `/y` and `/x/:id` with POST, PUT, PATCH and GET. */
  serve(
    operation: object,
    perform?: Performer,
    { idempotency = {}, more = {}, version = {}, ports = {} }: RouteOptions = {},
  ) {
    const methods = { post: operation, put: operation, patch: operation, get: operation }
    const path = { idempotency, ...more, ...methods }
    const document = documentOf({ '/x': path, '/y': path, '/x/:id': path }, {}, version)
    const policies = policyPorts({ idempotency: { ...this.#ports, ...ports } })
    const origins = ['https://a.example']
    return serve(document, perform, undefined, schemes, origins, undefined, policies)
  }

  get #ports(): IdempotencyPorts {
    const after = (_ms: number, callback: () => void) => {
      const stop = () => {
        this.renewals = this.renewals.filter((each) => each !== fire)
      }
      const fire = () => {
        stop()
        callback()
      }
      this.renewals.push(fire)
      return stop
    }
    return {
      answers: this.store.answers,
      shares: new KeyShares(
        { rows: 1_000, bytes: 1_000_000, rowsOfUser: 100 },
        systemClock,
        this.store.answers.held,
      ),
      ...{ clock: { after }, encode: encodeBody, box: new SecretBox('a key of tests') },
      digest: keyedDigest(new SecretBox('a key of tests')),
      onUnkept: (cause) => void this.unkept.push(cause),
    }
  }
}

/** Performs, and counts how often. */
export const counting = (): Performer => {
  let n = 0
  return () => {
    n += 1
    return result(n)
  }
}

/** A request with a key. */
export const keyed = (key = 'k', more: Ask = {}): Ask => ({
  ...more,
  headers: { 'idempotency-key': key, ...more.headers },
})

/** The status, and the code of the error or the body. */
export const tellOf = (reply: Reply) => [
  reply.status,
  reply.error?.uri.replace('service.error.', '') ?? bodyOf(reply),
]
