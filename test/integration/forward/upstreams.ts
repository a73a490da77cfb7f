/** Upstreams for the tests of forward, well-behaved and not, and the forwards to them; {@link closeAll} ends them. */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Socket,
  type Server as TcpServer,
} from 'node:net'
import { text } from 'node:stream/consumers'
import type { ActionFields, Outcome, Run } from '#component/action/action.ts'
import type { Lookup } from '#component/action/connections/connector.ts'
import { hostPolicy } from '#component/action/connections/origin.ts'
import type { BodyCodec } from '#component/action/forward/body.ts'
import { type ForwardAction, forwardAction } from '#component/action/forward/perform.ts'
import { tracedAttempts } from '#component/action/watching/traced-attempts.ts'
import { systemClock } from '#component/clock.ts'
import { runOf } from '#test/unit/action/doubles.ts'

const codec: BodyCodec = {
  encode: (value) => JSON.stringify(value),
  decode: (_type, bytes) => JSON.parse(new TextDecoder().decode(bytes)),
}

const closers: (() => void)[] = []
const actions: ForwardAction[] = []

/** Ends all upstreams, and with them what they have open. */
export function closeUpstreams(): void {
  for (const close of closers.splice(0)) close()
}

/** Ends everything that this file has opened. */
export async function closeAll(): Promise<void> {
  await Promise.all(actions.splice(0).map((action) => action.close()))
  closeUpstreams()
}

/** A forward with the clock of the machine. */
export function forwarder(allowedHosts: readonly string[] = [], lookup?: Lookup): ForwardAction {
  const watch = tracedAttempts(undefined)
  const hosts = hostPolicy(allowedHosts)
  const ports = { clock: systemClock, codec, hosts, watch, viaName: 'gateway' }
  const action = forwardAction(lookup ? { ...ports, lookup } : ports)
  actions.push(action)
  return action
}

const hostOf = (server: Server | TcpServer): string =>
  `127.0.0.1:${(server.address() as AddressInfo).port}`

/** A well-behaved upstream; its `host:port`. */
export async function upstream(
  handler: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<string> {
  const server = createServer((request, response) => void handler(request, response)).listen(
    0,
    '127.0.0.1',
  )
  await once(server, 'listening')
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return hostOf(server)
}

/** An upstream that does with each connection what it is told; its `host:port`. */
export async function rawUpstream(onSocket: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onSocket(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return hostOf(server)
}

/** Answers the first bytes of a connection with these bytes, and stays open. */
export const answering =
  (bytes: string) =>
  (socket: Socket): void => {
    socket.once('data', () => socket.write(bytes, 'latin1'))
  }

/** Attempts with some of their bounds changed. */
export const attempts = (changes: Partial<Run['attempts']>): Partial<Run> => ({
  attempts: { timeout: 2000, connect_timeout: 1000, retries: 0, retry_timeout: 5000, ...changes },
})

/** Performs one forward for an anonymous GET of /things. */
export const perform = (
  fields: ActionFields,
  changes: Partial<Run> = {},
  action = forwarder(),
): Promise<Outcome> => action.perform(fields, runOf({ ...attempts({}), ...changes }).run)

/** What a promise is rejected with. */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (outcome) => outcome,
    (error: unknown) => error,
  )

/** A run whose request differs. */
export const requestWith = (changes: Partial<Run['request']>): Partial<Run> => ({
  request: { ...runOf().run.request, ...changes },
})

/** The body that would go on to the client, as text. */
export const bodyOf = async ({ answer }: Outcome): Promise<string> => {
  if (!answer) throw new TypeError('no answer')
  const { body } = answer
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : text(body)
}
