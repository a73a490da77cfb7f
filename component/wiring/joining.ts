/** What a process does once it listens: it joins the others, loads its files, and answers on the router. */
import { messageOf } from '#component/errors.ts'
import { features } from '#component/spec/features.ts'
import { sealingBy } from '#component/sync/sealing.ts'
import { Sync } from '#component/sync/sync.ts'
import { version } from '#component/version.ts'
import { registerAll } from '#procedures/index.ts'
import type { Needs } from './process-parts.ts'
import { followLag } from './status/sync-status.ts'

/** Milliseconds that the start waits for the router. */
const routerTimeout = 2_000

/** Makes what keeps the documents of all nodes equal; it begins with {@link exchange}. */
export function openSync({
  context,
  key,
  own,
  serving,
}: Needs<'context' | 'key' | 'own' | 'serving'>): Sync {
  const { store, users, families } = context
  const { policies } = serving
  const sync = new Sync({
    ...context,
    session: own,
    health: store.health,
    isStoreShared: store.isShared,
    sealing: sealingBy(key),
    program: { version: version(), features },
  })
  own.onJoin = () => {
    policies.purgeAll()
    void sync.joined()
  }
  sync.onPurged = ({ id, tags }) => policies.purge(id, tags)
  users.sessionTickets.clockOffsetOf = (other) => sync.clockOffsetOf(other)
  followLag(sync, families)
  return sync
}

function refused(realm: string, cause: unknown): never {
  const found = messageOf(cause)
  const message = `the router does not allow the session of wamp.auth to register "service." on the realm ${realm}`
  throw new Error(`${message}: ${found}`, { cause })
}

/** Without a router the gateway serves; the procedures are registered once it is back. */
export const join = ({ own }: Needs<'own'>): Promise<boolean> => own.joined(routerTimeout)

/** Fetches the documents of the others. @throws Error what the router refuses */
export async function exchange({ own, sharing, sync }: Needs<'own' | 'sharing' | 'sync'>) {
  await sync.start().catch((cause) => refused(own.realm_uri, cause))
  sharing.start()
}

/**
 * After the exchange: a document that the others have already is not loaded again from a file. Files whose realms the router
 * could not confirm, because it was away, are loaded when it is there.
 * @returns ends those later loads
 */
export async function loadFiles({
  clock,
  config,
  files,
  progress,
  sync,
}: Needs<'clock' | 'config' | 'files' | 'progress' | 'sync'>): Promise<() => void> {
  await files.start(config, progress)
  return files.startAgain(() => sync.caughtUp, clock)
}

/** @throws Error what the router refuses */
export const registerProcedures = ({
  log,
  management,
  own,
}: Needs<'log' | 'management' | 'own'>): Promise<void> =>
  registerAll(own, management, log).catch((cause) => refused(own.realm_uri, cause))

/** What {@link answerLogins} needs. */
export const loginNeeds = [
  'authentication',
  'context',
  'joined',
  'log',
  'management',
  'own',
  'readiness',
  'registry',
  'sync',
] as const

/**
 * Authenticates users on the router, as soon as the node knows those that the others know: before that, it would refuse them.
 * Without a router, a node serves the documents that it has, or that its database has; one without is not ready.
 */
export async function answerLogins(parts: Needs<(typeof loginNeeds)[number]>): Promise<void> {
  const { authentication, context, joined, log, management, own, readiness, registry, sync } = parts
  readiness.isCutOff = !joined && (registry.size > 0 || context.store.isShared)
  const answer = () =>
    authentication?.start(own, management).catch((cause) => refused(own.realm_uri, cause))
  if (readiness.isCutOff || sync.isCaughtUp) await answer()
  else
    sync.caughtUp
      .then(answer)
      .catch((err: unknown) => log.error({ err }, 'users cannot be authenticated on the router'))
}
