/** Handlers of a watch that note what they are told. */
import type { WampError, WatchedEvent, WatchHandlers } from '#component/wamp/session.ts'
import { untilHolds } from '#test/support/running/until.ts'

/** What a watch told, in order: an event by its first argument, a missed one by its id, `lost`, `back`, or the URI of a refusal. */
export class Watcher implements WatchHandlers {
  readonly told: unknown[] = []
  readonly events: WatchedEvent[] = []

  onEvent(event: WatchedEvent): void {
    this.events.push(event)
    this.told.push(event.payload.args[0])
  }

  onMissed(publication_id: number): void {
    this.told.push({ missed: publication_id })
  }

  onLost(): void {
    this.told.push('lost')
  }

  onBack(): void {
    this.told.push('back')
  }

  onRefused(error: WampError): void {
    this.told.push(error.error_uri)
  }

  /** Waits until it was told so much. */
  async until(count: number): Promise<void> {
    await untilHolds(() => this.told.length >= count)
  }
}
