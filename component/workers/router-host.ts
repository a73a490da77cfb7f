/** The embedded router of a gateway of several processes: in the primary, reached by the workers over a private Unix socket. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError } from '#component/config/config.ts'
import { messageOf } from '#component/errors.ts'
import type { LimitUsage } from '#component/limits/limit-usage.ts'
import type { LoginCounts } from '#component/login-counts.ts'
import { close, parts, stop } from '#component/parts.ts'
import type { Router } from '#component/router/router.ts'
import { openContext, type StartPorts, type WiringContext } from '#component/wiring/context.ts'
import { listenRawSocket } from '#component/wiring/rawsocket-listener.ts'
import { openRouter, routerPaths } from '#component/wiring/router-connection.ts'

const socketName = 'router'

/** A path that fits into the address of a Unix socket (unix(7)) and, as it is, into a URL. */
const isUsable = (path: string) => /^[\w./-]{1,107}$/.test(path)

/** Makes a folder for this user only: every client of the socket in it is trusted like this process. */
function makeFolder(): string {
  const start = join(tmpdir(), 'wamp-gateway-')
  try {
    if (!isUsable(join(`${start}123456`, socketName)))
      throw new Error('the path is too long, or has characters other than letters, digits and ._/-')
    return mkdtempSync(start)
  } catch (cause) {
    const found = messageOf(cause)
    const message = `the socket of the router cannot be created in ${tmpdir()} (TMPDIR): ${found}`
    throw new ConfigError([`option "workers": ${message}`], { cause })
  }
}

/** The router, open. */
export interface RouterHost {
  readonly socketPath: string
  sessionCount(): number
  /** The logins of WAMP clients. */
  readonly logins: LoginCounts
  /** The limits of the router. */
  readonly usage: LimitUsage
  /** Resolves when the policy follows the realm documents that the store holds now. */
  refresh(): Promise<void>
  /** Says GOODBYE to all sessions and closes. */
  close(): Promise<void>
}

const hostParts = parts<StartPorts>()
  .part('state', ['config', 'clock', 'log', 'node', 'workers', 'broadcast'], openContext, stop)
  .part('context', ['state'], ({ state }) => state.parts)
  .part('router', ['context'], openFollowingRouter, close)
  .part('folder', [], openFolder, stop)
  .part('server', ['folder', 'router'], listenForWorkers, close)
  .part(
    'rawsocket',
    ['config', 'log', 'router'],
    ({ config, log, router }) => listenRawSocket(config, router, log),
    close,
  )

/**
 * Opens the router, and the store for the realm documents that it follows.
 * @throws ConfigError, or Error for a store that cannot be opened; then nothing stays open
 */
export async function startRouterHost(ports: StartPorts): Promise<RouterHost> {
  const { telemetry } = ports.config
  // requests, and their traces, are with the workers
  const config = { ...ports.config, telemetry: { ...telemetry, traces: 'off' as const } }
  const running = await hostParts.start({ ...ports, config }, ports)
  const { context, folder, router } = running.parts
  const { logins, usage, replica } = context
  return {
    socketPath: folder.socketPath,
    sessionCount: () => router.sessionCount,
    ...{ logins, usage },
    async refresh() {
      await replica.refresh()
      await replica.sweep()
    },
    close: () => running.stop(),
  }
}

function openFollowingRouter({ context }: { readonly context: WiringContext }): Router {
  const { router, end } = openRouter(context)
  context.users.onRevoked = end
  return router
}

/** The folder of the socket; it is removed at the end of the process, too. */
function openFolder() {
  const folder = makeFolder()
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  return {
    socketPath: join(folder, socketName),
    stop() {
      remove()
      process.off('exit', remove)
    },
  }
}

async function listenForWorkers({
  folder,
  router,
}: {
  readonly folder: { readonly socketPath: string }
  readonly router: Router
}): Promise<Server> {
  const server = createServer((_request, response) => response.writeHead(404).end())
  server.on('upgrade', (request, socket: Socket, head) => {
    socket.on('error', () => socket.destroy())
    if (request.url === routerPaths.gateway) {
      router.handleUpgrade(request, socket, head, '127.0.0.1', { isInProcess: true })
      return
    }
    // set by the worker: it has removed the client's own fields, and cookies that must not authenticate
    const { 'x-forwarded-for': address, cookie } = request.headers
    if (request.url === routerPaths.clients && typeof address === 'string') {
      router.handleUpgrade(request, socket, head, address, { cookie })
    } else socket.destroy()
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(folder.socketPath, resolve)
  })
  return server
}
