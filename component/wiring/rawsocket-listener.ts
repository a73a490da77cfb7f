/** Listens for RawSocket at `router.rawsocket`, for the embedded router of this process. */
import { once } from 'node:events'
import { rmSync, statSync } from 'node:fs'
import { connect, createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import { type Config, ConfigError, rawSocketUrls } from '#component/config/config.ts'
import { messageOf } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import type { Router } from '#component/router/router.ts'
import { rawSocketAddress } from '#component/wamp/routers/router-url.ts'
import { isLoopbackOnly } from '#http/management/access.ts'

/** A peer of a Unix socket is on this machine. */
const localAddress = '127.0.0.1'

/** Silence until TCP asks whether the other end is there; milliseconds. */
const keepAliveMs = 10_000

/** Whether only peers on this machine reach a URL of RawSocket. */
export function isLocalRawSocket(url: string): boolean {
  const address = rawSocketAddress(url)
  return address !== undefined && ('path' in address || isLoopbackOnly(listenText(address)))
}

const listenText = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`

/** Takes away the socket of a process that has ended without doing so; one that is listened at stays. */
async function removeStale(path: string): Promise<void> {
  if (statSync(path, { throwIfNoEntry: false })?.isSocket() !== true) return
  const socket = connect(path)
  const isServed = await new Promise((resolve) => {
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
  })
  socket.destroy()
  if (!isServed) rmSync(path)
}

async function listen(server: Server, url: string): Promise<void> {
  const address = rawSocketAddress(url)
  if (address === undefined) throw new TypeError('the URL was checked before')
  const options: ListenOptions =
    'path' in address ? { path: address.path } : { host: address.host, port: address.port }
  try {
    if ('path' in address) await removeStale(address.path)
    await once(server.listen(options), 'listening')
  } catch (cause) {
    throw new ConfigError([`option "router.rawsocket": cannot listen there: ${messageOf(cause)}`], {
      cause,
    })
  }
}

/** What listens, until it is closed. */
export interface RawSocketListener {
  /** Takes no more connections; those that are open end with the router. */
  close(): void
}

/**
 * Listens, unless the option is absent or the router is in another process.
 * @throws ConfigError when an address is taken; then nothing listens
 */
export async function listenRawSocket(
  config: Config,
  router: Router | undefined,
  log: Pick<Log, 'error' | 'info'>,
): Promise<RawSocketListener> {
  const servers: Server[] = []
  const close = () => {
    for (const server of servers) server.close()
  }
  if (router === undefined) return { close }
  const take = (socket: Socket) => {
    socket.setNoDelay(true).setKeepAlive(true, keepAliveMs)
    router.handleRawSocket(socket, socket.remoteAddress ?? localAddress)
  }
  for (const url of rawSocketUrls(config)) {
    const server = createServer(take)
    servers.push(server)
    try {
      await listen(server, url)
    } catch (error) {
      close()
      throw error
    }
    server.on('error', (err) => log.error({ err }, 'a listener failed'))
    log.info({ url }, 'the router speaks RawSocket')
  }
  return { close }
}
