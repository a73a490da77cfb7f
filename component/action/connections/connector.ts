/** Opens the sockets of one pool: resolves the name, checks each address, and shakes hands; all within one time limit. */
import type { LookupAddress, LookupOptions } from 'node:dns'
import { connect as connectTcp, isIP, isIPv6, type LookupFunction, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { EgressProxy } from './egress.ts'
import { type HostPolicy, refuseAddress } from './origin.ts'
import { askTunnel } from './tunnel.ts'

/** Resolves a name to all its addresses, as `dns.lookup` with `all`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** What the connections to one target have of their own. Each target has an object, by which its pools are known. */
export interface ConnectionTerms {
  /** Connections at once in each pool, at most. */
  readonly connections: number
  /** The address that is connected to; undefined: that of the name of the origin. */
  readonly address: string | undefined
  /** Of a Unix socket that is connected to in place of the origin. */
  readonly socketPath: string | undefined
  /** By which its connections leave; undefined: as all others. */
  readonly proxy: EgressProxy | undefined
  /** The name in TLS; undefined: that of the origin. */
  readonly serverName: string | undefined
  /** What is trusted, and shown, in TLS; undefined: the certificates of the system. ServiceError where it cannot be read. */
  readonly secureContext: (() => Promise<SecureContext>) | undefined
}

/** What all connections share. */
interface ConnectorPorts {
  readonly clock: Pick<Clock, 'after'>
  readonly lookup: Lookup
  /** The certificates (PEM) that are trusted; undefined: those of the system. */
  readonly ca: string | undefined
  /** The folders whose sockets may be connected to. */
  readonly unixSockets: readonly string[]
}

const noSocket = 'the socket is in no folder that forward.unix_sockets lists'

/** Whether a socket is in one of the folders. @param path normal and absolute */
const isWithin = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => dirname(path) === folder.replace(/(?<=.)\/+$/, ''))

const late = 'the upstream did not accept the connection within connect_timeout'

/**
 * A connector of undici.
 * @param policy for hosts that are computed from the request; undefined for fixed ones
 * @param timeoutMs time limit of a connection, name resolution, proxy and TLS included
 * @param proxy that is connected to in place of the host
 * @param isTunnel whether it is asked for a tunnel for http, too
 */
export function connectorOf(
  { clock, lookup, ca, unixSockets }: ConnectorPorts,
  policy: HostPolicy | undefined,
  timeoutMs: number,
  terms: ConnectionTerms | undefined,
  proxy: EgressProxy | undefined,
  isTunnel = false,
): buildConnector.connector {
  const { socketPath } = terms ?? {}
  const isRefused = socketPath !== undefined && !isWithin(socketPath, unixSockets)
  // the proxy is fixed, and resolves the name of the host itself
  const judged = proxy ? undefined : policy
  return ({ hostname, protocol, port }, callback) => {
    const isTls = protocol === 'https:'
    const portNumber = Number(port) || (isTls ? 443 : 80)
    const asksTunnel = proxy !== undefined && (isTls || isTunnel)
    let socket: Socket | undefined
    let isDone = false
    const settle = (error: Error | null): void => {
      if (isDone) return
      isDone = true
      stopTimer()
      if (error || !socket) {
        socket?.destroy()
        callback(error ?? new Error('the connection was closed at once'), null)
      } else callback(null, socket)
    }
    const stopTimer = clock.after(timeoutMs, () =>
      settle(new ServiceError('service.error.timeout', late)),
    )
    const to = proxy?.origin ?? { hostname: terms?.address ?? hostname, port: portNumber }
    const tcp = {
      ...{ host: to.hostname, port: to.port, autoSelectFamily: true },
      ...{ noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 },
      lookup: checkedLookup(lookup, to.port, judged),
    }
    const tlsOf = (secureContext: SecureContext | undefined) => ({
      servername: terms?.serverName ?? (isIP(hostname) ? '' : hostname),
      ALPNProtocols: ['http/1.1'],
      ...(ca !== undefined && { ca }),
      ...(secureContext && { secureContext }),
    })
    const use = (opened: Socket): Socket => {
      socket = opened
      return opened.on('error', settle)
    }
    /** What an opened socket is connected to; literal addresses are not looked up, so it is checked here. */
    const isFit = ({ remoteAddress }: Socket): boolean => {
      const refused =
        remoteAddress === undefined
          ? new Error('the connection was closed at once')
          : refuseAddress(remoteAddress, to.port, judged)
      if (refused) settle(refused)
      return refused === undefined
    }
    /** Connects to the proxy. @param next called with the socket, once bytes can pass to it */
    const openProxy = (
      { origin, secureContext, authorization }: EgressProxy,
      next: (opened: Socket, authorization: string | undefined) => void,
    ): void => {
      const isSecure = origin.protocol === 'https:'
      const begin = (context: SecureContext | undefined, told: string | undefined): void => {
        if (isDone) return
        const servername = isIP(origin.hostname) ? '' : origin.hostname
        const trusted = context ? { secureContext: context } : ca !== undefined && { ca }
        const opened = use(
          isSecure ? connectTls({ ...tcp, servername, ...trusted }) : connectTcp(tcp),
        )
        opened.once('connect', () => {
          if (!isDone && isFit(opened) && !isSecure) next(opened, told)
        })
        opened.once('secureConnect', () => !isDone && next(opened, told))
      }
      const isTold = asksTunnel ? authorization?.() : undefined
      Promise.all([secureContext?.(), isTold]).then((read) => begin(...read), settle)
    }
    const openTunnel = (by: EgressProxy, secureContext: SecureContext | undefined): void => {
      const authority = `${isIPv6(hostname) ? `[${hostname}]` : hostname}:${portNumber}`
      openProxy(by, (below, authorization) => {
        askTunnel(below, { authority, authorization }, (error) => {
          if (error || !isTls) settle(error ?? null)
          if (isDone) return
          const options = { ...tlsOf(secureContext), socket: below, host: hostname }
          use(connectTls(options)).once('secureConnect', () => settle(null))
        })
      })
    }
    const open = (secureContext?: SecureContext): void => {
      if (isDone) return
      if (socketPath !== undefined) {
        use(connectTcp({ path: socketPath })).once('connect', () => settle(null))
      } else if (proxy && asksTunnel) openTunnel(proxy, secureContext)
      else if (proxy) openProxy(proxy, () => settle(null))
      else if (isTls) {
        const opened = use(connectTls({ ...tcp, ...tlsOf(secureContext) }))
        opened.once('connect', () => isFit(opened)).once('secureConnect', () => settle(null))
      } else {
        const opened = use(connectTcp(tcp))
        opened.once('connect', () => isFit(opened) && settle(null))
      }
    }
    if (isRefused) settle(new ServiceError('service.error.bad_gateway', noSocket))
    else if (isTls && terms?.secureContext) terms.secureContext().then(open, settle)
    else open()
  }
}

const checkedLookup =
  (lookup: Lookup, port: number, policy: HostPolicy | undefined): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
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
