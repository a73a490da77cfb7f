/** The outbox of deliveries, as a process has it: over the gateway's own sessions, once the node is ready. */
import { randomUUID } from 'node:crypto'
import type { Clock } from '#component/clock.ts'
import { lockOf } from '#component/delivery/ids.ts'
import { ProcessOutbox } from '#component/delivery/outbox.ts'
import type { RealmLock } from '#component/delivery/outbox-ports.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { shortTurns } from '#component/yielding.ts'
import type { Needs } from './process-parts.ts'

/** What {@link openOutbox} needs. */
export const outboxNeeds = ['context', 'own', 'pool'] as const

/** It does nothing until {@link deliver}. */
export function openOutbox({
  context,
  own,
  pool,
}: Needs<(typeof outboxNeeds)[number]>): ProcessOutbox {
  const { box, clock, config, log, node, store, usage, yieldTurn } = context
  // nodes with stores of their own meet at the router; on an embedded one there is no other node
  const needsLock = !store.isShared && (config.wamp.url ?? []).length > 0
  const holder = randomUUID()
  const outbox = new ProcessOutbox({
    ...{ box, log, node, store, yieldTurn, holder },
    clock: storeClock(clock, () => store.health.clockOffsetMs ?? 0),
    monotonic: () => performance.now(),
    beginInTurn: shortTurns(),
    session: (realm_uri) => pool.open(realm_uri),
    lock: needsLock ? (realm_uri) => lockAt(own, realm_uri, holder) : undefined,
    hasEndpoint: (endpoint) => context.users.endpoints.find(endpoint) !== undefined,
    bufferBytes: config.limits.delivery_buffer,
    maxBytes: config.deliveries.max_bytes,
    drainMs: config.gateway.drain_timeout,
  })
  const limit = config.limits.delivery_buffer
  usage.declare('limits.delivery_buffer', limit, () => outbox.bufferedBytes)
  return outbox
}

/** Accepts and sends what the documents declare. */
export const deliver = ({ outbox, serving }: Needs<'outbox' | 'serving'>): void =>
  serving.deliveries.connect(outbox)

/** The time of the database, as far as it is known. */
const storeClock = (clock: Clock, offsetMs: () => number): Clock => ({
  now: () => clock.now() + Math.round(offsetMs()),
  after: (ms, callback) => clock.after(ms, callback),
  random: () => clock.random(),
})

/** One that has stood by, and has kept the events, is given the lock before one that has just joined. */
const pace = { afterJoinMs: 5_000, afterRefusalMs: 2_000 }

/** How long a process may take to say that it has the lock; milliseconds. */
const answerMs = 1_000

/** A registration that the router gives to one node: others ask it who it is. */
function lockAt(
  own: Pick<SupervisedSession, 'serve' | 'call'>,
  realm_uri: string,
  holder: string,
): RealmLock {
  const uri = lockOf(realm_uri)
  const { registration } = own.serve({
    ...{ uri, options: {}, pace },
    handler: (call) => call.yield({ args: [holder], kwargs: {} }),
  })
  return {
    get isHeld() {
      return registration.state === 'registered'
    },
    async isElsewhere() {
      if (registration.state !== 'standby') return false
      const { result } = own.call(uri, { args: [], kwargs: {} }, {}, answerMs)
      return result.then(
        // its own session of before may be there yet
        ({ args: [other] }) => typeof other === 'string' && other !== holder,
        () => false,
      )
    },
    end: () => registration.end(),
  }
}
