/** Tells endpoints of the gaps of their deliveries: the message of `on_gap`, again until it is taken. */
import type { DeliveryGapRow } from '#component/store/tables.ts'
import { afterAttempt } from './after-attempt.ts'
import { gapWebhookIdOf } from './ids.ts'
import type { OutboxPorts } from './outbox-ports.ts'
import type { Slot } from './slot.ts'
import type { AttemptEnd, DeliveryFailure, DeliveryGap, GapReason } from './types.ts'

/** Gaps that are told at once. */
const atOnce = 20

/** Milliseconds beyond the time of an attempt, after which another process may try. */
const leaseGraceMs = 10_000

/** A gap as documents and operators see it. */
export const gapOf = ({ reason, since, until, count }: DeliveryGapRow): DeliveryGap => ({
  reason: reason as GapReason,
  since: new Date(since).toISOString(),
  until: new Date(until).toISOString(),
  count,
})

/** Of one realm. */
export class GapMessages {
  readonly #ports: Pick<OutboxPorts, 'clock' | 'log' | 'store'>
  #isTelling = false

  constructor(ports: Pick<OutboxPorts, 'clock' | 'log' | 'store'>) {
    this.#ports = ports
  }

  /** Tells those that are due, in the background. */
  tell(slots: readonly Slot[]): void {
    const telling = slots.filter(({ delivery, state }) => delivery.gapRequest && state === 'active')
    if (this.#isTelling || telling.length === 0) return
    this.#isTelling = true
    void this.#tellAll(telling)
      .catch(() => undefined)
      .finally(() => {
        this.#isTelling = false
      })
  }

  async #tellAll(slots: readonly Slot[]): Promise<void> {
    const { deliveryOwners } = this.#ports.store
    const byId = new Map(slots.map((slot) => [slot.id, slot]))
    const due = await deliveryOwners.untold([...byId.keys()], atOnce)
    await Promise.all(due.map((gap) => this.#tell(gap, byId.get(gap.delivery) as Slot)))
  }

  async #tell(gap: DeliveryGapRow, { delivery }: Slot): Promise<void> {
    const { clock, store } = this.#ports
    const attempt = gap.attempts + 1
    const { limits } = delivery
    const lease = clock.now() + limits.timeoutMs + leaseGraceMs
    await store.deliveryOwners.setGap(gap, { due_at: lease, attempts: attempt })
    const end = await this.#send(gap, delivery, attempt)
    const { event } = afterAttempt(end, {
      ...{ attempt, now: clock.now(), random: clock.random(), limits },
    })
    const due_at = event.state === 'pending' ? event.due_at : null
    await store.deliveryOwners.setGap(gap, { due_at, attempts: attempt })
  }

  async #send(
    gap: DeliveryGapRow,
    delivery: Slot['delivery'],
    attempt: number,
  ): Promise<AttemptEnd | DeliveryFailure> {
    const { clock, log } = this.#ports
    try {
      const webhook_id = gapWebhookIdOf(delivery, gap.id)
      const asked = { attempt, webhook_id, now: clock.now() }
      const request = delivery.gapRequest?.(gapOf(gap), asked) ?? { failed: 'it has no on_gap' }
      return 'failed' in request ? request : await request.send(new AbortController().signal)
    } catch (err) {
      log.error({ err }, 'a gap could not be told because of a bug in the gateway')
      return { failed: 'the request could not be made because of a bug in the gateway' }
    }
  }
}
