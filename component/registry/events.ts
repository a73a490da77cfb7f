/** What the registry tells the component's realm. */
import type { Log } from '#component/log.ts'

/** Topics (behaviour: Management): loaded, deleted, lost against the routes of another specification. */
export type RegistryTopic =
  | 'service.api_spec.on_load'
  | 'service.api_spec.on_delete'
  | 'service.api_spec.on_conflict'

/** Publishes on the component's realm; may fail or reject. */
export type PublishEvent = (
  topic: RegistryTopic,
  kwargs: Readonly<Record<string, unknown>>,
) => unknown

/** Publishes without waiting: an event that cannot be sent is logged, and never fails what it tells of. */
export function announce(
  publish: PublishEvent,
  log: Pick<Log, 'warn'>,
  topic: RegistryTopic,
  kwargs: Readonly<Record<string, unknown>>,
): void {
  new Promise((resolve) => resolve(publish(topic, kwargs))).catch((err: unknown) => {
    log.warn({ err, topic }, 'an event was not published')
  })
}
