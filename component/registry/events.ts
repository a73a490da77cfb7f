/** The conflict event on the component's realm; component/sync publishes loads and deletions. */
import type { Log } from '#component/log.ts'

const onConflict = 'service.api_spec.on_conflict'

/** Publishes on the component's realm; may fail or reject. */
export type PublishEvent = (topic: string, kwargs: Readonly<Record<string, unknown>>) => unknown

/** Publishes without waiting: a failure is logged, and never fails the change. */
export function announceConflict(
  publish: PublishEvent,
  log: Pick<Log, 'warn'>,
  kwargs: Readonly<Record<string, unknown>>,
): void {
  new Promise((resolve) => resolve(publish(onConflict, kwargs))).catch((err: unknown) => {
    log.warn({ err, topic: onConflict }, 'an event was not published')
  })
}
