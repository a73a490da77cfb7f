/** The listeners of a process: opened before it is ready, so that they say what it waits for, and drained first when it stops. */
import { type GatewayUrls, urlsOf } from '#component/config/urls.ts'
import { version } from '#component/version.ts'
import { type Listeners, startListeners } from '#http/server.ts'
import type { TlsSetup } from '#http/tls/tls-setup.ts'
import { procedures } from '#procedures/index.ts'
import { openTls } from './open-tls.ts'
import type { Needs } from './process-parts.ts'
import { stoppedDeliveries } from './status/delivery-status.ts'
import { problemsOf } from './status/node-status.ts'

/** Open listeners. */
export interface Listening {
  readonly listeners: Listeners
  readonly urls: GatewayUrls
}

/** Open streams and WebSockets of a process that stops are ended within this time, if not within half of `gateway.drain_timeout`; milliseconds. */
const longestFarewell = 5_000

/** What HTTPS is served with. @throws Error when a file of `gateway.tls` cannot be used */
export const tlsOf = ({ context, worker }: Needs<'context' | 'worker'>): TlsSetup | undefined =>
  worker ? worker.tls : openTls(context.config, context.clock, context.log)

/** What {@link openListeners} needs. */
export const listeningNeeds = [
  'accessLog',
  'address',
  'console',
  'context',
  'files',
  'management',
  'metrics',
  'outbox',
  'own',
  'readiness',
  'registrar',
  'router',
  'serving',
  'sync',
  'tls',
  'worker',
] as const

/** Rejects when one of the addresses is taken. */
export async function openListeners(
  parts: Needs<(typeof listeningNeeds)[number]>,
): Promise<Listening> {
  const { accessLog, address, console, context, files, management, metrics, outbox, own } = parts
  const { readiness, registrar, router, serving, sync, tls, worker } = parts
  const { config, node, replica, store } = context
  const listeners = await startListeners({
    ...context,
    ...{ options: config, tls, accessLog, management, procedures, metrics },
    gateway: serving.gateway,
    operators: serving.authentication.operators,
    webSocket: router.webSocket,
    streams: serving.streamMetrics,
    watched: console.requests,
    servedPaths: () => serving.gateway.servedPaths(),
    siblings: worker?.siblings,
    console: { node, version: version(), events: console.events },
    listen: worker?.listen,
    isReady: () => readiness.waitsForAll === undefined,
    problems() {
      const reason = readiness.waitsForAll
      const problems = problemsOf({
        own,
        replica,
        health: store.health,
        sync,
        refused: files.refused,
        refusedProcedures: registrar.refused,
        stoppedDeliveries: stoppedDeliveries(outbox),
      })
      return reason === undefined ? problems : [reason, ...problems]
    },
  })
  console.state = () => ({
    inFlight: listeners.inFlight,
    isReady: readiness.waitsForAll === undefined,
  })
  const urls = urlsOf(config, listeners.addresses, listeners.tls.isSecure)
  address.base ||= urls.gatewayUrls[0] ?? ''
  return { listeners, urls }
}

/** Ends what the listeners serve: consoles, streams and WebSockets, then requests. */
export async function drain(
  { listeners }: Listening,
  { console, context, serving }: Needs<'console' | 'context' | 'serving'>,
): Promise<void> {
  console.stop()
  const { drain_timeout } = context.config.gateway
  const withinMs = Math.min(drain_timeout / 2, longestFarewell)
  const { openStreams, openSockets } = serving
  const drained = Promise.all([openStreams.drain(withinMs), openSockets.drain(withinMs)])
  await listeners.finish()
  await drained
}
