/** What users do with their own endpoints, and what operators see of them. */
import type { HostPolicy } from '#component/action/connections/origin.ts'
import type { Clock } from '#component/clock.ts'
import type {
  AttemptEnd,
  Delivery,
  DeliveryRef,
  Endpoint,
  EndpointOwner,
  EndpointStatus,
  Outbox,
} from '#component/delivery/types.ts'
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { type EndpointBook, isAt, isOfUser } from './endpoint-book.ts'
import { readEndpointUrl } from './endpoint-url.ts'

/** What the desk needs. */
export interface EndpointDeskPorts {
  readonly book: EndpointBook
  /** The delivery that a document declares; undefined: none does. */
  declared(ref: DeliveryRef): Delivery | undefined
  readonly outbox: () => Pick<Outbox, 'endpoints'>
  readonly hosts: HostPolicy
  readonly clock: Pick<Clock, 'now'>
  readonly newId: () => string
  readonly log: Pick<Log, 'info'>
  /** Whether the owner may subscribe to the topic now. */
  mayHear(endpoint: Pick<Endpoint, 'realm_uri' | 'owner'>, topic: string): boolean
}

/** An endpoint as its user sees it. Times are RFC 3339. */
export interface ShownEndpoint {
  readonly id: string
  readonly url: string
  /** `unverified`: no ping was answered with 2xx yet. */
  readonly state: 'unverified' | EndpointStatus['state']
  readonly reason: string | null
  readonly pending: number
  readonly dead: number
  readonly gaps: number
  readonly created_at: string
}

/** The same for operators. */
export interface ListedEndpoint extends ShownEndpoint {
  readonly user: string
  /** Whether the user may subscribe to the topic; null: the topic is a pattern, and each event is judged by its own. */
  readonly is_permitted: boolean | null
}

type DeliveryOfUsers = Delivery & Required<Pick<Delivery, 'endpoints'>>

const nothing = { endpoint: null, endpoints: null, secret: null, is_repeat: null, ping: null }

const isTaken = (end: AttemptEnd): boolean =>
  'status' in end && end.status >= 200 && end.status < 300

const shown = (endpoint: Endpoint, status: EndpointStatus | undefined): ShownEndpoint => ({
  ...{ id: endpoint.endpoint, url: endpoint.url },
  state: endpoint.verified_at === null ? 'unverified' : (status?.state ?? 'active'),
  reason: status?.reason ?? null,
  ...{ pending: status?.pending ?? 0, dead: status?.dead ?? 0, gaps: status?.gaps ?? 0 },
  created_at: new Date(endpoint.created_at).toISOString(),
})

const notFound = (): ServiceError =>
  new ServiceError('service.error.not_found', 'the user has no such endpoint here')

/** Of one process. */
export class EndpointDesk {
  readonly #ports: EndpointDeskPorts

  constructor(ports: EndpointDeskPorts) {
    this.#ports = ports
  }

  #declared(ref: DeliveryRef): DeliveryOfUsers {
    const delivery = this.#ports.declared(ref)
    if (delivery?.endpoints) return { ...delivery, endpoints: delivery.endpoints }
    throw new ServiceError(
      'service.error.not_found',
      'no delivery of this name has endpoints of users',
    )
  }

  #mine(ref: DeliveryRef, owner: EndpointOwner): readonly Endpoint[] {
    const { book } = this.#ports
    return book.all.filter((one) => isOfUser(ref, owner, { ...one, authid: one.owner.authid }))
  }

  #find(ref: DeliveryRef, owner: EndpointOwner, id: string): Endpoint {
    const found = this.#mine(ref, owner).find(({ endpoint }) => endpoint === id)
    if (found) return found
    throw notFound()
  }

  /**
   * Adds an endpoint, and pings it; one that is there is pinged where no ping was answered yet.
   * @throws ServiceError `wamp.error.invalid_argument` for a URL that nothing is sent to, `wamp.error.not_authorized`, and what the book throws
   */
  async add(ref: DeliveryRef, owner: EndpointOwner, url: string) {
    const { book, hosts, log } = this.#ports
    const delivery = this.#declared(ref)
    const read = readEndpointUrl(url, hosts)
    if (typeof read === 'string') {
      const message = `url: expected an https URL of a public host: ${read}`
      throw new ServiceError('wamp.error.invalid_argument', message)
    }
    if (this.#permits(delivery, { realm_uri: ref.realm_uri, owner }) === false) {
      const message = 'the user may not subscribe to the topic of the delivery'
      throw new ServiceError('wamp.error.not_authorized', message)
    }
    const { perUser } = delivery.endpoints
    const { endpoint, secret = null } = await book.add({ ref, owner, url: read.text, perUser })
    const is_repeat = secret === null
    const line = { api_spec: ref.api_spec, delivery: ref.name, endpoint: endpoint.endpoint }
    if (!is_repeat) log.info(line, 'a user has added an endpoint of a delivery')
    const ping = endpoint.verified_at === null ? await this.#ping(delivery, endpoint) : null
    if (ping && 'error' in ping && ping.isRefused) {
      if (!is_repeat) await book.remove(endpoint.endpoint)
      throw new ServiceError('wamp.error.invalid_argument', `url: ${ping.error}`)
    }
    const isVerified = ping !== null && isTaken(ping)
    const now = isVerified ? await book.verified(endpoint.endpoint) : endpoint
    return { ...nothing, endpoint: await this.#shown(now), secret, is_repeat, ping: pingOf(ping) }
  }

  async #ping(delivery: DeliveryOfUsers, endpoint: Endpoint) {
    const { clock, newId } = this.#ports
    const attempt = { attempt: 1, webhook_id: `ping_${newId()}`, now: clock.now() }
    return await delivery.endpoints.ping(endpoint, attempt)
  }

  async #shown(endpoint: Endpoint): Promise<ShownEndpoint> {
    const [row] = await this.#shownAll(endpoint, [endpoint])
    return row as ShownEndpoint
  }

  /** Those of the user. */
  async list(ref: DeliveryRef, owner: EndpointOwner) {
    this.#declared(ref)
    return { ...nothing, endpoints: await this.#shownAll(ref, this.#mine(ref, owner)) }
  }

  async #shownAll(ref: DeliveryRef, some: readonly Endpoint[]): Promise<readonly ShownEndpoint[]> {
    const ids = some.map(({ endpoint }) => endpoint)
    const all = ids.length === 0 ? [] : await this.#ports.outbox().endpoints(ref, ids)
    const byId = new Map(all.map((one) => [one.endpoint, one]))
    return some.map((one) => shown(one, byId.get(one.endpoint)))
  }

  /** Removes an endpoint of the user; what waits for it goes. @throws ServiceError `service.error.not_found` */
  async remove(ref: DeliveryRef, owner: EndpointOwner, id: string) {
    const endpoint = this.#find(ref, owner, id)
    const told = await this.#shown(endpoint)
    await this.#ports.book.remove(id)
    return { ...nothing, endpoint: told }
  }

  /** Makes another secret. @throws ServiceError `service.error.not_found` */
  async rotate(ref: DeliveryRef, owner: EndpointOwner, id: string) {
    this.#find(ref, owner, id)
    const { endpoint, secret } = await this.#ports.book.rotate(id, owner)
    return { ...nothing, endpoint: await this.#shown(endpoint), secret }
  }

  #permits(
    { topic, match }: Pick<Delivery, 'topic' | 'match'>,
    endpoint: Pick<Endpoint, 'realm_uri' | 'owner'>,
  ): boolean | null {
    return match === 'exact' ? this.#ports.mayHear(endpoint, topic) : null
  }

  /** Those of all users, for operators. */
  async all(ref: DeliveryRef): Promise<readonly ListedEndpoint[]> {
    const endpoints = this.#ports.book.all.filter((one) => isAt(ref, one))
    const delivery = this.#ports.declared(ref)
    const rows = await this.#shownAll(ref, endpoints)
    return rows.map((row, index) => {
      const endpoint = endpoints[index] as Endpoint
      const is_permitted = delivery ? this.#permits(delivery, endpoint) : null
      return { ...row, user: endpoint.owner.authid, is_permitted }
    })
  }

  /** Removes the endpoint of any user. @throws ServiceError `service.error.not_found` */
  async removeAny(ref: DeliveryRef, id: string): Promise<void> {
    const { book } = this.#ports
    const found = book.find(id)
    if (!found || !isAt(ref, found)) {
      throw new ServiceError('service.error.not_found', 'the delivery has no such endpoint')
    }
    await book.remove(id)
  }
}

/** What was answered, without what only the gateway needs. */
const pingOf = (end: AttemptEnd | null) =>
  end === null ? null : 'status' in end ? { status: end.status } : { error: end.error }
