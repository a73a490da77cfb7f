/** What tests of sessions share: ways to open them, a log that keeps silent, waiting, a proxy that misbehaves. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { systemClock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import { type Payload, type Session, WampError } from '#component/wamp/session.ts'
import type { SessionOptions } from '#component/wamp/session-options.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'
import { until } from '#test/support/running/until.ts'

/** How a session under test is made. */
export type OpenSession = (options: SessionOptions) => SupervisedSession

/** Both implementations, by the library behind them. */
export const clients: readonly (readonly [name: string, open: OpenSession])[] = [
  ['autobahn', componentSession],
  ['wampy', requestSession],
]

/** The session under test, and one of the other client on the same router. */
export interface Pair {
  readonly session: SupervisedSession
  readonly other: Session
  /** The router's, for raw peers. */
  readonly url: string
}

/** No arguments at all. */
export const nothing: Payload = { args: [], kwargs: {} }

/** The realm of these tests. */
export const realm_uri = 'com.example.test'

/** Options that every session of these tests starts from. */
export const basics = {
  realm_uri,
  serializer: 'json',
  auth: { authmethod: 'anonymous' },
  clock: systemClock,
  log: openLog('silent'),
} as const satisfies Partial<SessionOptions>

/** A name that no other test uses. */
export const freshUri = (): string => `com.example.t${Math.random().toString(36).slice(2)}`

/** Asks until the answer is yes; failures are no. */
export async function untilTrue(ask: () => Promise<boolean>): Promise<void> {
  await until(String(ask), () => ask().catch(() => false))
}

/** The WampError that a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<WampError> {
  try {
    await promise
  } catch (error) {
    if (error instanceof WampError) return error
    throw error
  }
  throw new Error('expected a rejection')
}

/** A TCP proxy in front of a router. */
export interface TestProxy {
  readonly url: string
  /** Connections that it took. */
  readonly taken: number
  /** Pieces that clients sent. */
  readonly chunks: number
  /** Forwards nothing more, in either direction, and closes nothing: a half-open link. */
  freeze(): void
  /** Drops the connections it has. */
  cut(): void
  stop(): void
}

/** @param target undefined for a host that takes connections and says nothing */
export async function openProxy(target: string | undefined): Promise<TestProxy> {
  const sockets = new Set<Socket>()
  let isFrozen = false
  let taken = 0
  let chunks = 0
  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    taken++
    keep(client)
    if (target === undefined) return
    const { hostname, port } = new URL(target)
    const router = connect(Number(port), hostname)
    keep(router)
    client.on('data', (data) => {
      chunks++
      if (!isFrozen) router.write(data)
    })
    router.on('data', (data) => isFrozen || client.write(data))
    client.once('close', () => isFrozen || router.destroy())
    router.once('close', () => isFrozen || client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `ws://127.0.0.1:${port}/ws`,
    get taken() {
      return taken
    },
    get chunks() {
      return chunks
    },
    freeze: () => {
      isFrozen = true
    },
    cut,
    stop: () => {
      server.close()
      cut()
    },
  }
}
