/** Clients of a gateway, which load, delete, issue and revoke keys, refresh and order; and what of it a gateway has, that was started on a state of its disk. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type HttpAnswer, type HttpRequest, send } from '#test/support/http-request.ts'
import type { Knowledge, Known, Value } from './known.ts'

/** Where a gateway listens. */
export interface Listening {
  readonly url: string
  readonly adminUrl: string
}

const realm = 'com.example.crash'
const password = 'known to the owner'
const plain = { on_result: {}, on_error: {} }

/** Realms and specifications that the clients change. */
const ids = 5
/** Logins that are refreshed. */
const logins = 4
/** Orders that a gateway on a state is sent again, at most. */
const mostOrders = 30

const shopOf = (upstream: string) => ({
  id: 'com.example.shop',
  host: '_',
  realm_uri: realm,
  defaults: { schemes: ['http'] },
  versions: {
    '1.0': {
      base_path: '/',
      paths: {
        '/orders': {
          ...{ timeout: 5000, idempotency: { required: true } },
          post: { action: { type: 'forward', host: upstream, path: '/orders' }, response: plain },
        },
        '/me': {
          get: {
            security: { type: 'oauth2', flow: 'resource_owner_password_credentials' },
            action: { type: 'static', body: '{{security.authid}}' },
            response: plain,
          },
        },
      },
    },
  },
})

/** @param padding makes it large, which a load may be */
const specOf = (id: string, version: number, padding: number) => ({
  ...{ id, host: '_', realm_uri: realm, variables: { version, padding: 'x'.repeat(padding) } },
  versions: {
    '1.0': {
      base_path: `/${id}`,
      paths: {
        '/version': {
          get: { action: { type: 'static', body: '{{variables.version}}' }, response: plain },
        },
      },
    },
  },
})

/** Takes orders, and says which. */
export class Upstream {
  onOrder: (key: string) => void = () => undefined
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      const key = String(request.headers['x-order'])
      this.onOrder(key)
      response.writeHead(201, { 'content-type': 'text/plain' }).end(`placed ${key}`)
    })
  }

  static async start(): Promise<Upstream> {
    const upstream = new Upstream()
    upstream.#server.listen(0, '127.0.0.1')
    await once(upstream.#server, 'listening')
    return upstream
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  stop(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

const order = ({ url }: Listening, key: string): Promise<HttpAnswer> =>
  send(url, '/orders', {
    method: 'POST',
    headers: { 'idempotency-key': key, 'x-order': key, 'content-type': 'text/plain' },
    body: key,
  })

const token = ({ url }: Listening, fields: Readonly<Record<string, string>>) =>
  send(url, '/oauth/token', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  })

const refresh = (gateway: Listening, refresh_token: string) =>
  token(gateway, { grant_type: 'refresh_token', refresh_token })

const tokenOf = (answer: HttpAnswer) => (answer.json() as { refresh_token: string }).refresh_token

/** The clients of one gateway, whose process may end and be started again at any time. */
export class Clients {
  readonly #gateway: Listening
  readonly #random: () => number
  readonly #tell: (known: Known) => void
  /** What is changed now, one change at a time; a login whose outcome is not known is never used again. */
  readonly #busy = new Set<string>()
  readonly #tokens = new Map<string, string>()
  readonly #keys = new Set<string>()
  #version = 0
  #unanswered = 0

  constructor(gateway: Listening, random: () => number, tell: (known: Known) => void) {
    this.#gateway = gateway
    this.#random = random
    this.#tell = tell
  }

  /** Requests that have got no answer, or 503: the gateway may be starting, or its disk has failed. */
  get unanswered(): number {
    return this.#unanswered
  }

  /** Loads what the clients need, until the gateway has taken it. */
  async prepare(upstream: Upstream): Promise<void> {
    const groups = ['api_clients', 'resource_owners']
    const users = [{ username: 'ada', password, groups }]
    const authmethods = ['password', 'oauth2']
    await this.#untilTaken('/realms', { uri: realm, authmethods, users })
    await this.#untilTaken('/api_specs', shopOf(upstream.url))
  }

  async #untilTaken(path: string, body: unknown): Promise<void> {
    for (;;) {
      const answer = await this.#send('POST', path, body)
      if (answer) return
    }
  }

  /** One thing, chosen at random. */
  async act(): Promise<void> {
    const acts = [
      () => this.#load(),
      () => this.#load(),
      () => this.#realm(),
      () => this.#key(),
      () => this.#refresh(),
      () => this.#refresh(),
      () => this.#order(),
      () => this.#order(),
    ]
    await acts[this.#upTo(acts.length)]?.()
  }

  #upTo(most: number): number {
    return Math.floor(this.#random() * most)
  }

  /** @returns undefined: it has no answer, or the gateway has refused it because of the disk */
  async #answered(sent: Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    const answer = await sent.catch(() => undefined)
    if (answer !== undefined && answer.status !== 503) return answer
    this.#unanswered += 1
    return undefined
  }

  async #send(method: string, path: string, body?: unknown): Promise<HttpAnswer | undefined> {
    const request: HttpRequest = { method, ...(body !== undefined && { body }) }
    const answer = await this.#answered(send(this.#gateway.adminUrl, path, request))
    // what is deleted may not be there
    if (answer && answer.status >= 300 && !(method === 'DELETE' && answer.status === 404))
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer
  }

  /** @param change undefined: it is not known whether it took place */
  async #change(name: string, value: Value, change: () => Promise<HttpAnswer | undefined>) {
    if (this.#busy.has(name)) return
    this.#busy.add(name)
    this.#tell({ begin: name, value })
    if (await change()) this.#tell({ end: name, value })
    this.#busy.delete(name)
  }

  async #load(): Promise<void> {
    const id = `com.example.x${this.#upTo(ids)}`
    if (this.#random() < 0.2) {
      await this.#change(`spec ${id}`, null, () => this.#send('DELETE', `/api_specs/${id}`))
      return
    }
    const version = ++this.#version
    const padding = this.#random() < 0.1 ? 300_000 : this.#upTo(5_000)
    const document = specOf(id, version, padding)
    await this.#change(`spec ${id}`, version, () => this.#send('POST', '/api_specs', document))
  }

  async #realm(): Promise<void> {
    const uri = `com.example.r${this.#upTo(ids)}`
    if (this.#random() < 0.2) {
      await this.#change(`realm ${uri}`, null, () => this.#send('DELETE', `/realms/${uri}`))
      return
    }
    const description = `version ${++this.#version}`
    const document = { uri, description, authmethods: ['anonymous'] }
    await this.#change(`realm ${uri}`, description, () => this.#send('POST', '/realms', document))
  }

  async #key(): Promise<void> {
    const [id] = this.#keys
    if (id !== undefined && this.#random() < 0.5) {
      this.#keys.delete(id)
      await this.#change(`key ${id}`, null, () => this.#send('DELETE', `/api_keys/${id}`))
      return
    }
    const answer = await this.#send('POST', `/realms/${realm}/users/ada/api_keys`, {})
    if (!answer) return
    const issued = answer.json() as { readonly id: string }
    this.#tell({ end: `key ${issued.id}`, value: issued.id })
    this.#keys.add(issued.id)
  }

  async #refresh(): Promise<void> {
    if (this.#tokens.size < logins) {
      const client = { client_id: 'ada', client_secret: password }
      const login = { grant_type: 'password', username: 'ada', password, ...client }
      const answer = await this.#answered(token(this.#gateway, login))
      if (!answer) return
      if (answer.status !== 200) throw new Error(`a login: ${answer.status} ${answer.text}`)
      const name = `login ${++this.#version}`
      this.#tokens.set(name, tokenOf(answer))
      this.#tell({ end: name, value: tokenOf(answer) })
      return
    }
    const [name, value] = [...this.#tokens][this.#upTo(logins)] as [string, string]
    if (this.#busy.has(name)) return
    this.#busy.add(name)
    this.#tell({ begin: name, value: 'the next one' })
    const answer = await this.#answered(refresh(this.#gateway, value))
    this.#busy.delete(name)
    if (!answer) {
      this.#tokens.delete(name)
      return
    }
    if (answer.status !== 200) throw new Error(`a refresh: ${answer.status} ${answer.text}`)
    this.#tokens.set(name, tokenOf(answer))
    this.#tell({ end: name, value: tokenOf(answer) })
  }

  async #order(): Promise<void> {
    const key = `order-${++this.#version}`
    const answer = await this.#answered(order(this.#gateway, key))
    if (!answer) return
    if (answer.status !== 201) throw new Error(`an order: ${answer.status} ${answer.text}`)
    this.#tell({ answered: key, body: answer.text })
  }
}

/** What a gateway is judged by. */
interface Judged {
  readonly known: Knowledge
  /** Whether the disk has never refused the answer of an order, which its client got all the same. */
  readonly areAnswersKept: boolean
  readonly upstream: Upstream
  readonly random: () => number
}

/** What a gateway has lost, undone or performed again, one text each. */
export async function wrongWith(
  gateway: Listening,
  { known, areAnswersKept, upstream, random }: Judged,
): Promise<string[]> {
  const found: string[] = []
  const check = (name: string, is: Value) => {
    const possible = known.possible(name)
    if (!possible.has(is)) found.push(`${name} is ${is}, not ${[...possible].join(' or ')}`)
  }
  const get = async (path: string) => {
    const answer = await send(gateway.adminUrl, path)
    if (answer.status !== 200 && answer.status !== 404)
      throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return answer.status === 404 ? undefined : answer.json()
  }
  const specs = (await get('/api_specs')) as { id: string; variables?: { version?: number } }[]
  const versions = new Map(specs.map(({ id, variables }) => [id, variables?.version ?? null]))
  for (const name of known.of('spec')) {
    const id = name.slice('spec '.length)
    const version = versions.get(id) ?? null
    check(name, version)
    const served = await send(gateway.url, `/${id}/version`)
    const expected = version === null ? 404 : 200
    if (served.status !== expected || (version !== null && served.text !== String(version)))
      found.push(`${name} is ${version}, and served as ${served.status} ${served.text}`)
  }
  for (const name of known.of('realm')) {
    const document = (await get(`/realms/${name.slice('realm '.length)}`)) as
      | { readonly description?: string }
      | undefined
    check(name, document?.description ?? null)
  }
  const keys = (await get(`/realms/${realm}/api_keys`)) as { id: string }[] | undefined
  const listed = new Set(keys?.map(({ id }) => id))
  for (const name of known.of('key')) {
    const id = name.slice('key '.length)
    check(name, listed.has(id) ? id : null)
  }
  for (const name of known.of('login')) {
    const [value, other] = known.possible(name)
    if (other !== undefined) continue
    const answer = await refresh(gateway, String(value))
    if (answer.status !== 200) found.push(`${name} has ended: ${answer.status} ${answer.text}`)
  }
  const all = [...known.performed]
  const some = all.filter((_, index) => {
    const isLast = index >= all.length - mostOrders / 2
    return isLast || random() < mostOrders / 2 / all.length
  })
  upstream.onOrder = (key) => {
    if (known.performed.has(key)) found.push(`${key} was performed again`)
  }
  for (const [key, body] of some) {
    const answer = await order(gateway, key)
    const isReplayed = answer.headers['idempotency-replayed'] === 'true'
    const isUnknown = answer.status === 409 && (body === undefined || !areAnswersKept)
    if (!isUnknown && (!isReplayed || answer.text !== (body ?? answer.text)))
      found.push(`${key} is answered by ${answer.status} ${answer.text}`)
  }
  return found
}
