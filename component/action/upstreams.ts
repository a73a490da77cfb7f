/** Connections to upstreams: one pool per origin, each socket checked where it connects to. The only door to undici's pools. */
import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { type buildConnector, type Dispatcher, Pool } from 'undici'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { type HostPolicy, type Origin, refuseAddress } from './origin.ts'

/** Resolves a name to all its addresses, as `dns.lookup` with `all`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** Pools kept at once; beyond it the one that was used longest ago is closed. */
const maxPools = 512

/** Sockets per upstream, and the milliseconds a free one is kept (reliability §3.1, upstream agents). */
const poolOptions = {
  connections: 256,
  pipelining: 1,
  keepAliveTimeout: 4000,
  keepAliveMaxTimeout: 4000,
  maxHeaderSize: 16_384,
  // Deadlines are the forward's own: undici's timers are coarse.
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
} as const

/** Opens and keeps the connections of all forwards. */
export class Upstreams {
  readonly #clock: Clock
  readonly #policy: HostPolicy
  readonly #lookup: Lookup
  readonly #pools = new Map<string, Pool>()

  /**
   * @param policy for hosts that are computed from the request
   * @param lookup resolves names
   */
  constructor(clock: Clock, policy: HostPolicy, lookup: Lookup = systemLookup) {
    this.#clock = clock
    this.#policy = policy
    this.#lookup = lookup
  }

  /** Origins with a pool now. */
  get size(): number {
    return this.#pools.size
  }

  /**
   * The pool of an origin.
   * @param isComputed was the host computed from the request? Then private addresses must be listed.
   * @param connectTimeoutMs how long one connection may take, name and TLS included
   */
  pool(origin: Origin, isComputed: boolean, connectTimeoutMs: number): Dispatcher {
    const key = `${origin.text} ${connectTimeoutMs} ${isComputed}`
    let pool = this.#pools.get(key)
    if (pool) this.#pools.delete(key)
    else {
      pool = new Pool(origin.text, {
        ...poolOptions,
        connect: this.#connector(isComputed ? this.#policy : undefined, connectTimeoutMs),
      })
    }
    // Last in, last out: the map's order is that of use.
    this.#pools.set(key, pool)
    if (this.#pools.size > maxPools) this.#closeOldest()
    return pool
  }

  /** Ends all connections, those in use too. */
  async close(): Promise<void> {
    const pools = [...this.#pools.values()]
    this.#pools.clear()
    await Promise.all(pools.map((pool) => pool.destroy()))
  }

  #closeOldest(): void {
    for (const [key, pool] of this.#pools) {
      this.#pools.delete(key)
      // Ends when what runs on it has ended.
      pool.close(() => {})
      return
    }
  }

  #connector(policy: HostPolicy | undefined, timeoutMs: number): buildConnector.connector {
    return ({ hostname, protocol, port }, callback) => {
      const isTls = protocol === 'https:'
      const portNumber = Number(port) || (isTls ? 443 : 80)
      const options = {
        host: hostname,
        port: portNumber,
        autoSelectFamily: true,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: 30_000,
        lookup: this.#checkedLookup(portNumber, policy),
      }
      let socket: Socket
      let isDone = false
      const settle = (error: Error | null): void => {
        if (isDone) return
        isDone = true
        stopTimer()
        if (error) {
          socket.destroy()
          callback(error, null)
        } else callback(null, socket)
      }
      const stopTimer = this.#clock.after(timeoutMs, () =>
        settle(
          new ServiceError(
            'service.error.timeout',
            'the upstream did not accept the connection within connect_timeout',
          ),
        ),
      )
      socket = isTls
        ? connectTls({
            ...options,
            servername: isIP(hostname) ? '' : hostname,
            ALPNProtocols: ['http/1.1'],
          })
        : connectTcp(options)
      socket.on('error', settle)
      // The lookup is not asked about literals, so the address of the socket itself decides.
      socket.once('connect', () => {
        const { remoteAddress } = socket
        const refused =
          remoteAddress === undefined
            ? new Error('the connection was closed at once')
            : refuseAddress(remoteAddress, portNumber, policy)
        if (refused) settle(refused)
        else if (!isTls) settle(null)
      })
      if (isTls) socket.once('secureConnect', () => settle(null))
    }
  }

  #checkedLookup(port: number, policy: HostPolicy | undefined): LookupFunction {
    return (hostname, options, callback) => {
      this.#lookup(hostname, { ...options, all: true }, (error, addresses) => {
        if (error) return callback(error, '')
        let refused: ServiceError | undefined
        const open = addresses.filter(({ address }) => {
          const refusal = refuseAddress(address, port, policy)
          refused ??= refusal
          return !refusal
        })
        const [first] = open
        if (!first) callback(refused ?? new Error('the name has no address'), '')
        else if (options.all) callback(null, open)
        else callback(null, first.address, first.family)
      })
    }
  }
}
