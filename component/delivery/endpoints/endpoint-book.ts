/** The endpoints of users, on all nodes: replicated as kind `endpoint`, with sealed secrets. */
import { createHash } from 'node:crypto'
import type { Clock } from '#component/clock.ts'
import { stringifyJson } from '#component/codec/json.ts'
import type { DeliveryRef, Endpoint, EndpointOwner } from '#component/delivery/types.ts'
import { ServiceError } from '#component/errors.ts'
import type { UserName } from '#component/identity.ts'
import type { Document, Draft } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { SecretBox } from '#component/secret-box.ts'

/** Milliseconds that the former secret signs beside the new one. */
const formerSecretMs = 86_400_000

/** Milliseconds that an endpoint may wait for its first answered ping. */
const unverifiedMs = 86_400_000

/** Milliseconds that the removal of an endpoint is known: a node that was away for longer would bring it back. */
const removalKeptMs = 30 * 86_400_000

/** Bytes of a secret: what Standard Webhooks recommends is 24 to 64. */
const secretBytes = 32

/** As it is replicated. What is left of a removed endpoint has `exp` alone. */
interface EndpointDocument extends Readonly<Record<string, unknown>> {
  readonly endpoint: string
  readonly realm_uri: string
  readonly api_spec: string
  readonly name: string
  readonly authid: string
  readonly authmethod: string
  readonly authroles: readonly string[]
  readonly url: string
  readonly sealed: string
  /** The secret before the rotation; it signs until a time. */
  readonly former?: { readonly sealed: string; readonly until: number }
  readonly created_at: number
  readonly verified_at: number | null
  /** Of one that is not verified: when it ends; seconds since the epoch. */
  readonly exp?: number
}

/** A document and the id of its entry. */
interface Placed {
  readonly id: string
  readonly document: EndpointDocument
}

/** What the book needs. */
export interface EndpointBookPorts {
  readonly replica: Pick<Replica, 'change' | 'entries' | 'watch'>
  readonly clock: Pick<Clock, 'now'>
  readonly box: Pick<SecretBox, 'seal' | 'open'>
  readonly randomBytes: (count: number) => Buffer
  /** `deliveries.max_endpoints`: of all users. */
  readonly maxEndpoints: number
}

/** An endpoint that is to be added. */
export interface WantedEndpoint {
  readonly ref: DeliveryRef
  readonly owner: EndpointOwner
  readonly url: string
  /** Endpoints of the user at this delivery, at most. */
  readonly perUser: number
}

/** An endpoint that was added, or was there. */
export interface AddedEndpoint {
  readonly endpoint: Endpoint
  /** `whsec_…`: it cannot be shown again. undefined: the endpoint was there. */
  readonly secret: string | undefined
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** Whether the document is an endpoint: another node or version may have written something else. */
const isEndpoint = (document: Document | null): document is EndpointDocument =>
  document !== null &&
  ['endpoint', 'realm_uri', 'api_spec', 'name', 'authid', 'authmethod', 'url', 'sealed'].every(
    (key) => isText(document[key]),
  ) &&
  Array.isArray(document.authroles)

const notFound = (): ServiceError =>
  new ServiceError('service.error.not_found', 'there is no such endpoint')

const purposeOf = (endpoint: string): string => `delivery endpoint ${endpoint}`

const read = (document: EndpointDocument): Endpoint => {
  const { realm_uri, api_spec, name, endpoint, url, created_at, verified_at } = document
  const { authid, authmethod, authroles } = document
  return {
    ...{ realm_uri, api_spec, name, endpoint, url, created_at, verified_at },
    owner: { authid, authmethod, authroles },
  }
}

/** Places of a user at a delivery are entries of their own: two processes that fill one place at once do not both succeed. */
const placeId = ({ realm_uri, api_spec, name }: DeliveryRef, authid: string, place: number) => {
  const text = JSON.stringify([realm_uri, api_spec, name, authid])
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  return `${digest}.${place}`
}

/** Whether it is an endpoint of the delivery. */
export const isAt = (
  { realm_uri, api_spec, name }: DeliveryRef,
  one: Pick<DeliveryRef, 'realm_uri' | 'api_spec' | 'name'>,
): boolean => one.realm_uri === realm_uri && one.api_spec === api_spec && one.name === name

/** Whether it is an endpoint of the user at the delivery. */
export const isOfUser = (
  ref: DeliveryRef,
  { authid }: Pick<EndpointOwner, 'authid'>,
  one: Pick<EndpointDocument, 'realm_uri' | 'api_spec' | 'name' | 'authid'>,
): boolean => isAt(ref, one) && one.authid === authid

/** Of one process. Methods that change something throw `service.error.unavailable`. */
export class EndpointBook {
  /** Told after changes of any node. */
  onChange: () => void = () => undefined
  readonly #ports: EndpointBookPorts
  /** By document, so that an endpoint that has not changed is one object. */
  readonly #read = new WeakMap<Document, Endpoint>()
  /** The documents by the ids of their endpoints; undefined: they have changed since. */
  #known: ReadonlyMap<string, Placed> | undefined

  constructor(ports: EndpointBookPorts) {
    this.#ports = ports
  }

  /** From now on, changes are told. */
  start(): void {
    this.#ports.replica.watch('endpoint', () => {
      this.#known = undefined
      this.onChange()
    })
  }

  /** Those of all users, verified or not. */
  get all(): readonly Endpoint[] {
    return this.#entries().map(({ document }) => this.#endpointOf(document))
  }

  /** @param endpoint its id */
  find(endpoint: string): Endpoint | undefined {
    const found = this.#find(endpoint)
    return found && this.#endpointOf(found.document)
  }

  #find(endpoint: string): Placed | undefined {
    this.#known ??= new Map(this.#placed().map((one) => [one.document.endpoint, one]))
    const found = this.#known.get(endpoint)
    return found && this.#isThere(found.document) ? found : undefined
  }

  #isThere({ exp }: EndpointDocument): boolean {
    return exp === undefined || this.#ports.clock.now() < exp * 1_000
  }

  #endpointOf(document: EndpointDocument): Endpoint {
    const known = this.#read.get(document) ?? read(document)
    this.#read.set(document, known)
    return known
  }

  /** All endpoints of the replica, also those that have ended. A change reads them here, since {@link #known} is of the time before it. */
  #placed(): readonly Placed[] {
    return this.#ports.replica
      .entries('endpoint')
      .flatMap(({ id, document }) => (isEndpoint(document) ? [{ id, document }] : []))
  }

  /** Those that have not ended. */
  #entries(): readonly Placed[] {
    return this.#placed().filter(({ document }) => this.#isThere(document))
  }

  /** The secrets that sign now, the newest first; none where they were sealed with another `store.key`. */
  secrets(endpoint: string): readonly string[] {
    const { box, clock } = this.#ports
    const found = this.#find(endpoint)
    if (!found) return []
    const { sealed, former } = found.document
    const isFormerValid = former !== undefined && clock.now() < former.until
    const all = isFormerValid ? [sealed, former.sealed] : [sealed]
    return all.flatMap((one) => box.open(one, purposeOf(endpoint)) ?? [])
  }

  #newSecret(): string {
    return `whsec_${this.#ports.randomBytes(secretBytes).toString('base64')}`
  }

  /**
   * Adds an endpoint, which is not verified yet; one of the same user with the same URL is kept, with the roles of now.
   * @throws ServiceError `service.error.quota_exceeded` where the user has as many as may be; `service.error.unavailable` where all users have
   */
  async add({ ref, owner, url, perUser }: WantedEndpoint): Promise<AddedEndpoint> {
    const { replica, box, clock, randomBytes, maxEndpoints } = this.#ports
    const endpoint = `ep_${randomBytes(12).toString('base64url')}`
    const secret = this.#newSecret()
    const sealed = box.seal(secret, purposeOf(endpoint))
    const now = clock.now()
    const { realm_uri, api_spec, name } = ref
    let added: AddedEndpoint | undefined
    await replica.change('endpoint', () => {
      const all = this.#entries()
      const mine = all.filter(({ document }) => isOfUser(ref, owner, document))
      const same = mine.find(({ document }) => document.url === url)
      if (same) {
        added = { endpoint: this.#endpointOf(same.document), secret: undefined }
        return changed(same, { ...owner })
      }
      if (mine.length >= perUser) {
        const message = `the user has ${mine.length} endpoints here, and may have ${perUser}: remove one`
        throw new ServiceError('service.error.quota_exceeded', message)
      }
      if (all.length >= maxEndpoints) {
        const message = 'the gateway has as many endpoints as deliveries.max_endpoints allows'
        throw new ServiceError('service.error.unavailable', message)
      }
      const taken = new Set(mine.map(({ id }) => id))
      let place = 0
      while (taken.has(placeId(ref, owner.authid, place))) place += 1
      const document: EndpointDocument = {
        ...{ endpoint, realm_uri, api_spec, name, ...owner, url, sealed, created_at: now },
        ...{ verified_at: null, exp: Math.floor((now + unverifiedMs) / 1_000) },
      }
      added = { endpoint: this.#endpointOf(document), secret }
      return [{ id: placeId(ref, owner.authid, place), document }]
    })
    return added as AddedEndpoint
  }

  /** Notes that a ping was answered with 2xx. @throws ServiceError `service.error.not_found` where it was removed meanwhile */
  async verified(endpoint: string): Promise<Endpoint> {
    const verified_at = this.#ports.clock.now()
    return await this.#change(endpoint, ({ exp: _, ...document }) => ({ ...document, verified_at }))
  }

  /**
   * Makes another secret; the one of before signs beside it for a day.
   * @throws ServiceError `service.error.not_found`
   */
  async rotate(endpoint: string, owner: EndpointOwner): Promise<Required<AddedEndpoint>> {
    const { box, clock } = this.#ports
    const secret = this.#newSecret()
    const sealed = box.seal(secret, purposeOf(endpoint))
    const until = clock.now() + formerSecretMs
    const changed = await this.#change(endpoint, (document) => ({
      ...{ ...document, ...owner, sealed, former: { sealed: document.sealed, until } },
    }))
    return { endpoint: changed, secret }
  }

  async #change(
    endpoint: string,
    change: (document: EndpointDocument) => EndpointDocument,
  ): Promise<Endpoint> {
    let made: EndpointDocument | undefined
    await this.#ports.replica.change('endpoint', () => {
      const found = this.#entries().find(({ document }) => document.endpoint === endpoint)
      if (!found) throw notFound()
      made = change(found.document)
      return [{ id: found.id, document: made }]
    })
    return this.#endpointOf(made as EndpointDocument)
  }

  /** Removes one. @throws ServiceError `service.error.not_found` */
  async remove(endpoint: string): Promise<void> {
    await this.#remove((one) => one.endpoint === endpoint, true)
  }

  /** Removes those of users. */
  async removeOfUsers(users: readonly UserName[]): Promise<void> {
    const names = new Set(users.map(({ realm_uri, authid }) => JSON.stringify([realm_uri, authid])))
    await this.#remove(({ realm_uri, authid }) => names.has(JSON.stringify([realm_uri, authid])))
  }

  /** Removes those of a realm that is no more. */
  async removeOfRealm(uri: string): Promise<void> {
    await this.#remove(({ realm_uri }) => realm_uri === uri)
  }

  async #remove(isMeant: (document: EndpointDocument) => boolean, mustBe = false): Promise<void> {
    const { replica, clock } = this.#ports
    await replica.change('endpoint', () => {
      const gone = this.#entries().filter(({ document }) => isMeant(document))
      if (mustBe && gone.length === 0) throw notFound()
      const exp = Math.floor((clock.now() + removalKeptMs) / 1_000)
      return gone.map(({ id }): Draft => ({ id, document: { exp } }))
    })
  }
}

/** A draft where it says something else than before. */
function changed({ id, document }: Placed, changes: Partial<EndpointDocument>): readonly Draft[] {
  const next = { ...document, ...changes }
  return stringifyJson(next) === stringifyJson(document) ? [] : [{ id, document: next }]
}
