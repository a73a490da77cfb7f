/** Opens the events of rows. */
import { parseJson } from '#component/codec/json.ts'
import { trustedRules } from '#component/codec/limits.ts'
import type { ClaimedRow } from '#component/store/delivery-store.ts'
import { purposeOf } from './acceptance.ts'
import type { OutboxPorts } from './outbox-ports.ts'
import type { DeliveredEvent } from './types.ts'

/** Bytes in events are written as WAMP writes them in JSON. */
const rules = { ...trustedRules, isWamp: true }

/** The event of a row; undefined: it was sealed with another key. */
export function openEvent(
  box: Pick<OutboxPorts['box'], 'open'>,
  { delivery, webhook_id, sealed }: Pick<ClaimedRow, 'delivery' | 'webhook_id' | 'sealed'>,
): DeliveredEvent | undefined {
  const text = box.open(sealed, purposeOf(delivery, webhook_id))
  return text === undefined ? undefined : (parseJson(text, rules) as DeliveredEvent)
}
