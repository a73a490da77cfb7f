/** The embedded WAMP router: realms, and the ways to reach them, WebSocket, RawSocket and a link within the process. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { type Clock, systemClock } from '#component/clock.ts'
import { encodeOnce, type Serializer, serializers } from '#component/codec/serializers.ts'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import { Quota } from '#component/limits/quota.ts'
import { Admission } from '#component/router/limits/admission.ts'
import { Backlog } from '#component/router/limits/backlog.ts'
import { type FramedSocket, webSocketHead } from '#component/router/limits/framed-socket.ts'
import { headLength, refusal } from '#component/wamp/channel/rawsocket-frames.ts'
import type { OpenLink } from '#component/wamp/link.ts'
import { type RunSteps, runOneByOne } from '#component/yielding.ts'
import { Authorizer } from './authorize.ts'
import { Connection, type ConnectionPorts } from './connection.ts'
import { linkPair } from './link-pair.ts'
import type { Peer, RealmPolicy } from './ports.ts'
import { greet } from './rawsocket/greeting.ts'
import { RawSocket } from './rawsocket/raw-socket.ts'
import { Realm } from './realm.ts'
import { defaultLimits, type RealmPorts, type RouterLimits } from './realm-ports.ts'
import type { Session, Transport } from './session.ts'
import { shortFrame } from './short-frame.ts'
import { type SocketOptions, SocketTransport } from './socket-transport.ts'

/** Options that the realms share; `maxRetained` is 10,000 unless given. */
type SharedOption = 'clock' | 'maxRetained' | 'yieldTurn' | 'onError' | 'onUnreadable' | 'onUnsent'

/** Options of a router. */
export interface RouterOptions extends Partial<Pick<RealmPorts, SharedOption>> {
  readonly policy: RealmPolicy
  /** Bytes of one message from a peer; longer ones close its WebSocket with 1009. Default 16 MiB. */
  readonly maxMessageBytes?: number
  /** Bytes that a peer may leave unread before it is disconnected. Default 64 MiB. */
  readonly maxBufferedBytes?: number
  /** Bytes that the process may hold for its peers; the router takes less than half of them. Default: 128 MiB of its own. */
  readonly budget?: Quota
  /** Milliseconds from the opening of a transport to WELCOME. Default 10,000. */
  readonly handshakeTimeoutMs?: number
  /** Milliseconds of silence until a ping; 0: never. Default 5,000. */
  readonly pingIntervalMs?: number
  /** Milliseconds that a peer may take to answer a ping, unless it works on a call. Default 5,000. */
  readonly pingTimeoutMs?: number
  /** Clients connected at once; one network (of IPv6 a /64) has at most half of what others leave. Default 10,000. */
  readonly maxSessions?: number
  readonly limits?: Partial<RouterLimits>
  /** Counts what limits refuse, for metrics. */
  readonly usage?: LimitUsage
}

const inProcess: Peer = { address: '127.0.0.1', isInProcess: true }

/** By WebSocket subprotocol. */
const subprotocols: ReadonlyMap<string, Serializer> = new Map(
  Object.values(serializers).map((serializer) => [serializer.protocol, encodeOnce(serializer)]),
)

/** By name. */
const serializerOf = (name: Serializer['name']): Serializer =>
  subprotocols.get(serializers[name].protocol) ?? serializers[name]

/** Bytes; as `limits.buffered_bytes`. */
const defaultBudget = 128 * 1024 * 1024

/** How long peers may take to answer GOODBYE before {@link Router.close} cuts them off, in milliseconds. */
const closeTimeoutMs = 1_500

/** Longest message of a peer; bytes. */
const defaultMessageBytes = 16 * 1024 * 1024

/** Milliseconds; {@link RouterOptions.handshakeTimeoutMs}, {@link RouterOptions.pingIntervalMs}. */
const [defaultHandshakeMs, defaultPingMs] = [10_000, 5_000]

/** One router. Nothing listens by itself: upgrade requests and connections are handed to it. */
export class Router {
  readonly #realms = new Map<string, Realm>()
  readonly #connections = new Set<Connection>()
  readonly #options: RouterOptions
  readonly #clock: Clock
  readonly #ports: ConnectionPorts
  readonly #admission: Admission
  readonly #backlog: Backlog
  readonly #webSockets: WebSocketServer
  readonly #runLong: RunSteps
  #isClosed = false

  constructor(options: RouterOptions) {
    const { clock = systemClock, onError = () => {}, policy } = options
    const { onUnreadable = () => {}, onUnsent = () => {} } = options
    this.#options = options
    this.#clock = clock
    this.#runLong = runOneByOne(options.yieldTurn)
    const { maxSessions = 10_000, usage = new LimitUsage() } = options
    this.#admission = new Admission(maxSessions, () => usage.refuse('limits.wamp_sessions'))
    const budget = options.budget ?? new Quota(defaultBudget)
    this.#backlog = new Backlog(budget, clock, () => usage.refuse('limits.buffered_bytes'))
    const authorizer = new Authorizer(policy, onError)
    const limits = { ...defaultLimits, ...options.limits }
    this.#declare(usage, maxSessions, limits)
    const realmPorts = {
      ...{
        clock,
        authorizer,
        onError,
        onUnreadable,
        onUnsent,
        limits,
        usage,
        yieldTurn: options.yieldTurn,
      },
      retainedBudget: new Quota(Math.floor(budget.limit / 8), budget),
      maxRetained: options.maxRetained ?? 10_000,
    }
    this.#ports = {
      ...{ policy, clock, onError },
      handshakeTimeoutMs: options.handshakeTimeoutMs ?? defaultHandshakeMs,
      realm: (uri) => {
        if (this.#isClosed || !policy.hasRealm(uri)) return undefined
        const realm = this.#realms.get(uri) ?? new Realm(uri, realmPorts)
        this.#realms.set(uri, realm)
        return realm
      },
    }
    this.#webSockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: options.maxMessageBytes ?? defaultMessageBytes,
      handleProtocols: (offered) => firstServed(offered) ?? false,
    })
  }

  #declare(usage: LimitUsage, maxSessions: number, { perRealm, perSession }: RouterLimits): void {
    const most = (of: 'ofRealm' | 'ofSession') =>
      Math.max(0, ...Array.from(this.#realms.values(), (realm) => realm.most[of]))
    usage.declare('limits.wamp_sessions', maxSessions, () => this.#admission.count)
    usage.declare('limits.subscriptions_per_session', perSession, () => most('ofSession'))
    usage.declare('limits.subscriptions_per_realm', perRealm, () => most('ofRealm'))
  }

  /** How many sessions a call of the procedure could reach on the realm. */
  calleesOf(realm_uri: string, procedure: string): number {
    return this.#realms.get(realm_uri)?.calleesOf(procedure) ?? 0
  }

  /** Sessions joined now. */
  get sessionCount(): number {
    let count = 0
    for (const realm of this.#realms.values()) count += realm.sessions.size
    return count
  }

  /** Opens a link into the router for a peer in this process. */
  readonly openLink: OpenLink = () => {
    const [client, link] = linkPair()
    if (this.#isClosed) {
      link.close(1001, 'wamp.close.system_shutdown')
      return client
    }
    const connection = this.#connect({
      peer: inProcess,
      send: (message) => link.send(message),
      waiting: 0,
      whenRead: () => {},
      close: (code, reason) => link.close(code, reason),
      terminate: () => link.close(1006, ''),
    })
    link.onMessage = (message) => connection.receive(message)
    link.onClose = () => this.#disconnect(connection)
    link.unreadOf = (request) => connection.unreadOf(request)
    link.onRead = (request, tell) => connection.whenRead(request, tell)
    return client
  }

  #connect(transport: Transport): Connection {
    const connection = new Connection(transport, this.#ports)
    this.#connections.add(connection)
    return connection
  }

  #disconnect(connection: Connection): void {
    connection.lost()
    this.#connections.delete(connection)
  }

  /**
   * Takes an upgrade request of a node:http server over. Refused with 400 without a subprotocol that is served, with 503
   * when the router is closed, or there are too many clients.
   * @param address IP address of the peer
   * @param more whether the peer is trusted like one in this process, and the cookies that it may use
   */
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    address: string,
    { isInProcess = false, cookie }: Partial<Omit<Peer, 'address'>> = {},
  ): void {
    if (this.#isClosed) {
      refuseUpgrade(socket, unavailable)
      return
    }
    if (!isInProcess && !this.#tryEnter(socket, address)) {
      refuseUpgrade(socket, unavailable)
      return
    }
    const offered = (request.headers['sec-websocket-protocol'] ?? '').split(',')
    const protocol = firstServed(offered.map((name) => name.trim()))
    const serializer = protocol === undefined ? undefined : subprotocols.get(protocol)
    if (serializer === undefined) {
      refuseUpgrade(socket, '400 Bad Request')
      return
    }
    this.#webSockets.handleUpgrade(request, socket, head, (framed) => {
      // `ws` hands a message over as one Buffer
      this.#serve(framed as FramedSocket, socket, {
        ...{ serializer, shortFrame, headOf: webSocketHead, owesBytes: () => true },
        peer: { address, isInProcess, cookie },
      })
    })
  }

  /**
   * Takes a connection over that begins with the handshake of a RawSocket. Refused when there are too many clients.
   * @param address IP address of the peer
   */
  handleRawSocket(socket: Duplex, address: string): void {
    if (this.#isClosed || !this.#tryEnter(socket, address)) {
      socket.on('error', () => {}).end(refusal('full'), () => socket.destroy())
      return
    }
    const { maxMessageBytes = defaultMessageBytes } = this.#options
    const { handshakeTimeoutMs: timeoutMs = defaultHandshakeMs } = this.#options
    greet({
      ...{ socket, timeoutMs, clock: this.#clock, longest: maxMessageBytes },
      onAccepted: (asked, rest) => {
        const serializer = serializerOf(asked.serializer)
        const framed = new RawSocket({
          ...{ socket, clock: this.#clock, isBinary: serializer.isBinary },
          ...{ longest: maxMessageBytes, taken: asked.maxBytes },
        })
        const peer = { address, isInProcess: false, transport: 'rawsocket' } as const
        this.#serve(framed, socket, {
          ...{ serializer, peer, headOf: () => headLength, owesBytes: () => framed.isInFrame },
        })
        framed.begin(rest)
      },
    })
  }

  /** Counts a client until its socket closes; false when there is no place for it. */
  #tryEnter(socket: Duplex, address: string): boolean {
    if (!this.#admission.tryEnter(address)) return false
    socket.once('close', () => this.#admission.leave(address))
    return true
  }

  #serve(
    framed: FramedSocket,
    socket: Duplex,
    own: Pick<SocketOptions, 'headOf' | 'owesBytes' | 'peer' | 'serializer' | 'shortFrame'>,
  ): void {
    const transport = new SocketTransport({
      ...{ ...own, framed, socket, clock: this.#clock, backlog: this.#backlog },
      runLong: this.#runLong,
      pingIntervalMs: this.#options.pingIntervalMs ?? defaultPingMs,
      pingTimeoutMs: this.#options.pingTimeoutMs ?? defaultPingMs,
      excuse: () => connection.excuse(),
      maxBufferedBytes: this.#options.maxBufferedBytes ?? 64 * 1024 * 1024,
      isJoined: () => connection.isJoined,
      onMessage: (message, problem) => connection.receive(message, problem),
      onTooLong: (problem) => connection.tooLong(problem),
      onClose: () => this.#disconnect(connection),
    })
    const connection = this.#connect(transport)
  }

  /** Says GOODBYE to the sessions of a realm that is not served any longer. */
  closeRealm(uri: string): void {
    for (const connection of this.#connections) {
      if (connection.realm === uri) connection.goodbye('wamp.close.close_realm')
    }
    this.#realms.get(uri)?.close()
    this.#realms.delete(uri)
  }

  /** Says GOODBYE to the selected sessions of a realm. */
  closeSessions(realm_uri: string, isOver: (session: Session) => boolean): void {
    // ending one publishes an event, after which other sessions may leave
    for (const session of [...(this.#realms.get(realm_uri)?.sessions.values() ?? [])]) {
      if (isOver(session))
        session.end('wamp.close.killed', 'the user may not use the realm any longer')
    }
  }

  /** Ends the subscriptions and registrations of a realm that the grants of now do not allow. */
  judgeAnew(realm_uri: string): void {
    this.#realms.get(realm_uri)?.judgeAnew()
  }

  /** Says GOODBYE to all sessions; resolves when all have left, after at most 1.5 s. */
  async close(): Promise<void> {
    this.#isClosed = true
    for (const connection of this.#connections) {
      connection.goodbye('wamp.close.system_shutdown', 'the router is shutting down')
    }
    await this.#emptied()
    for (const connection of this.#connections) connection.terminate()
    this.#webSockets.close()
  }

  #emptied(): Promise<void> {
    const deadline = this.#clock.now() + closeTimeoutMs
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#connections.size === 0 || this.#clock.now() >= deadline) resolve()
        else this.#clock.after(10, look)
      }
      look()
    })
  }
}

function firstServed(offered: Iterable<string>): string | undefined {
  for (const name of offered) if (subprotocols.has(name)) return name
  return undefined
}

/** Clients may come back soon (RFC 9110 §15.6.4). */
const unavailable = '503 Service Unavailable\r\nRetry-After: 5'

/** @param status and header fields, if any */
function refuseUpgrade(socket: Duplex, status: string): void {
  socket.on('error', () => {}) // node:http listens no more once it has handed the socket over
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
