/** Opens the sockets of one pool: resolves the name, checks each address, and shakes hands; all within one time limit. */
import type { LookupAddress, LookupOptions } from 'node:dns'
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { type HostPolicy, refuseAddress } from './origin.ts'

/** Resolves a name to all its addresses, as `dns.lookup` with `all`. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** What the connections to one target have of their own. Each target has an object, by which its pools are known. */
export interface ConnectionTerms {
  /** At most so many at once, in each pool. */
  readonly connections: number
  /** The address that is connected to; undefined: that of the name of the origin. */
  readonly address: string | undefined
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
}

const late = 'the upstream did not accept the connection within connect_timeout'

/**
 * A connector of undici.
 * @param policy for hosts that are computed from the request; undefined for fixed ones
 * @param timeoutMs time limit of a connection, name resolution and TLS included
 */
export function connectorOf(
  { clock, lookup, ca }: ConnectorPorts,
  policy: HostPolicy | undefined,
  timeoutMs: number,
  terms: ConnectionTerms | undefined,
): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const isTls = protocol === 'https:'
    const portNumber = Number(port) || (isTls ? 443 : 80)
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
    const open = (secureContext?: SecureContext): void => {
      if (isDone) return
      const options = {
        host: terms?.address ?? hostname,
        port: portNumber,
        autoSelectFamily: true,
        noDelay: true,
        keepAlive: true,
        keepAliveInitialDelay: 30_000,
        lookup: checkedLookup(lookup, portNumber, policy),
      }
      const opened = isTls
        ? connectTls({
            ...options,
            servername: terms?.serverName ?? (isIP(hostname) ? '' : hostname),
            ALPNProtocols: ['http/1.1'],
            ...(ca !== undefined && { ca }),
            ...(secureContext && { secureContext }),
          })
        : connectTcp(options)
      socket = opened
      opened.on('error', settle)
      // literal addresses are not looked up, so the address of the socket itself is checked
      opened.once('connect', () => {
        const { remoteAddress } = opened
        const refused =
          remoteAddress === undefined
            ? new Error('the connection was closed at once')
            : refuseAddress(remoteAddress, portNumber, policy)
        if (refused) settle(refused)
        else if (!isTls) settle(null)
      })
      if (isTls) opened.once('secureConnect', () => settle(null))
    }
    if (isTls && terms?.secureContext) terms.secureContext().then(open, settle)
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
