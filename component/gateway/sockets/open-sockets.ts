/** The open WebSockets of a process: their places, and how they end with their credentials, their route and the process. */
import type { OpenedSocket, SocketTerms } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { CompiledOperation, Route } from '#component/gateway/api.ts'
import { isAdmitted } from '#component/gateway/checks.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import type { HeldSockets, SocketPlace } from '#component/gateway/parts.ts'
import { endAll } from '#component/gateway/streams/end-all.ts'
import type { Identity } from '#component/identity.ts'
import type { RoutingTable } from '#component/routes/routing-table.ts'
import type { Reauthentication } from '#component/security/reauthentication.ts'
import { type PlaceLimit, Places } from '#component/stream/places.ts'
import { isAllowedOrigin } from './handshake.ts'
import type { SocketWatch } from './socket-metrics.ts'
import { type SocketEnding, Tunnel } from './tunnel.ts'

/** How many there may be at once; 0: any number, except in the process. */
export interface SocketLimits {
  /** In the process. */
  readonly websockets: number
  /** Of one address; of an IPv6 address its /64. */
  readonly websockets_per_address: number
  /** Of one user of a realm. */
  readonly websockets_per_identity: number
}

/** The dependencies of {@link OpenSockets}. */
export interface OpenSocketsPorts {
  readonly clock: Clock
  readonly limits: SocketLimits
  readonly reauthentication: Pick<Reauthentication, 'follow'>
  readonly watch: SocketWatch
}

/** The names of the limits, by those of streams. */
const limitNames: Readonly<Record<PlaceLimit, string>> = {
  streams: 'websockets',
  streams_per_address: 'websockets_per_address',
  streams_per_identity: 'websockets_per_identity',
  max_streams: 'max_sockets',
}

/** One that is open. */
interface Opened {
  readonly exchange: Exchange
  readonly tunnel: Tunnel
  /** When the handshake passed. */
  readonly identity: Identity
  operation: CompiledOperation
  unfollow: (() => void) | undefined
  /** Ends hearing of the target of the upstream. */
  forget: (() => void) | undefined
}

const noRoom = (): boolean => false

/** Those of the process. */
export class OpenSockets implements HeldSockets {
  readonly #ports: OpenSocketsPorts
  readonly #open = new Set<Opened>()
  readonly #places: Places
  /** By operation, which is named: documents are loaded again while its WebSockets are open. */
  readonly #ofOperations = new Map<string, number>()
  #table: RoutingTable<Route> | undefined
  #isDraining = false

  constructor(ports: OpenSocketsPorts) {
    this.#ports = ports
    const { limits, clock, watch } = ports
    this.#places = new Places(
      {
        streams: limits.websockets,
        streams_per_address: limits.websockets_per_address,
        streams_per_identity: limits.websockets_per_identity,
      },
      () => clock.random(),
      (limit) => watch.refused(limitNames[limit]),
      'WebSockets',
    )
  }

  /** How much of a limit is used; of one of each network or user, by the one that has most. */
  used(limit: keyof SocketLimits): number {
    const entries = Object.entries(limitNames) as [PlaceLimit, string][]
    const [known = 'streams'] = entries.find(([, name]) => name === limit) ?? []
    return this.#places.used(known)
  }

  take(exchange: Exchange, operation: CompiledOperation, identity: Identity): SocketPlace {
    if (this.#isDraining) {
      throw new ServiceError('service.error.unavailable', 'this node is stopping', {
        headers: { 'retry-after': '1' },
      })
    }
    const { path, websocket } = operation
    const { api, label, realm_uri } = path.version
    const owner = { api, operation, realm_uri, identity }
    const place = this.#places.take(
      { owner, address: exchange.client, maxStreams: undefined },
      noRoom,
    )
    const name = JSON.stringify([api, label, path.pattern])
    const count = this.#ofOperations.get(name) ?? 0
    const { maxSockets } = websocket as SocketTerms
    if (maxSockets !== undefined && count >= maxSockets) {
      place.give()
      this.#ports.watch.refused(limitNames.max_streams)
      const message = 'this operation has as many WebSockets as it may have'
      throw new ServiceError('service.error.too_many_requests', message, {
        headers: { 'retry-after': '5' },
      })
    }
    this.#ofOperations.set(name, count + 1)
    let isGiven = false
    return {
      give: () => {
        if (isGiven) return
        isGiven = true
        place.give()
        const left = (this.#ofOperations.get(name) ?? 0) - 1
        if (left > 0) this.#ofOperations.set(name, left)
        else this.#ofOperations.delete(name)
      },
    }
  }

  open(
    exchange: Exchange,
    operation: CompiledOperation,
    identity: Identity,
    socket: OpenedSocket,
    place: SocketPlace | undefined,
  ): Tunnel {
    const { clock, watch } = this.#ports
    const onClosed = watch.opened(operation.path)
    const tunnel: Tunnel = new Tunnel(socket.upstream, {
      clock,
      terms: () => opened.operation.websocket as SocketTerms,
      onOver: (reason) => {
        this.#open.delete(opened)
        opened.unfollow?.()
        opened.forget?.()
        place?.give()
        onClosed(reason)
      },
      onBegun: () => {
        this.#secure(opened)
        opened.forget = socket.onTakenAway?.(() => tunnel.end('target'))
        if (this.#isDraining) tunnel.end('draining')
        // its document may have been loaded again meanwhile
        else if (this.#table) this.#judge(opened, this.#table)
      },
    })
    const opened: Opened = {
      exchange,
      tunnel,
      identity,
      operation,
      unfollow: undefined,
      forget: undefined,
    }
    this.#open.add(opened)
    return tunnel
  }

  /** Ends those whose route opens none any more, or would not admit them; it is served from now on. */
  follow(table: RoutingTable<Route>): void {
    this.#table = table
    for (const opened of this.#open) this.#judge(opened, table)
  }

  /** Ends all and admits no more. @param withinMs it resolves after at most that time, when all have been told */
  drain(withinMs: number): Promise<void> {
    this.#isDraining = true
    const ending = new Map(
      Array.from(this.#open, ({ tunnel }): [Tunnel, SocketEnding] => [tunnel, 'draining']),
    )
    return endAll(this.#ports.clock, ending, withinMs)
  }

  #judge(opened: Opened, table: RoutingTable<Route>): void {
    const { exchange, tunnel, operation, identity } = opened
    const found = table.match(exchange.host, exchange.path, 'get')
    const route = found?.kind === 'match' ? found.route : undefined
    if (route === operation) return
    if (route?.kind !== undefined || route?.websocket === undefined) {
      tunnel.end('gone')
      return
    }
    opened.operation = route
    const { inherited, websocket } = route
    if (!isAdmitted(exchange, inherited) || !isAllowedOrigin(exchange, websocket)) {
      tunnel.end('unauthorized')
      return
    }
    this.#secure(opened, (proved) => isUserOf(identity, proved))
  }

  /** Has the credentials judged from now on. @param accepts as of {@link Reauthentication.follow} */
  #secure(opened: Opened, accepts?: (proved: Identity) => boolean): void {
    const { exchange, tunnel, operation, identity } = opened
    opened.unfollow?.()
    const { protection } = operation.inherited
    const { reauthentication } = this.#ports
    const onRefused = (): void => tunnel.end('unauthorized')
    opened.unfollow =
      protection &&
      // a copy: what one client without credentials proves later says nothing of another
      reauthentication.follow(exchange, protection, { ...identity }, onRefused, accepts)
  }
}

/** Whether it is the user that passed; nobody may have become anybody, where a document has got a login. */
const isUserOf = (passed: Identity, { realm_uri, authid }: Identity): boolean =>
  passed.authmethod === 'anonymous' || (passed.realm_uri === realm_uri && passed.authid === authid)
