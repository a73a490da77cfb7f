/** What deliveries would make of an event: which of them want it, and the request of each. Nothing is accepted, signed or sent. */
import type { BodyCodec } from '#component/action/forward/body.ts'
import { isDeliveryEntry } from '#component/delivery/requests/plan.ts'
import { type ShownRequest, showDelivery } from '#component/delivery/requests/shown-request.ts'
import { InvalidSpecError } from '#component/errors.ts'
import { redact } from '#component/explain/redaction/redaction.ts'
import { describedEvent as rule } from '#component/spec/examples/delivery-examples.ts'
import { Report } from '#component/spec/report.ts'
import { type JsonMap, memberOf } from '#component/syntax/values.ts'
import { isMatched } from '#component/syntax/wamp-uri.ts'
import type { World } from './world.ts'

/** One delivery whose topic the event has. */
interface ExplainedDelivery {
  readonly api_spec: string
  readonly delivery: string
  /** JSON Pointer of the delivery in its document. */
  readonly at: string
  readonly is_active: boolean
  /** The signer; null: the request is not signed. */
  readonly sign: string | null
  /** The key of its order; null: in no order. */
  readonly order: string | null
  /** null: the filter leaves the event out, or the document cannot render it. */
  readonly request: ShownRequest | null
  /** Why the document cannot render it: a dead letter; null: it can. */
  readonly error: string | null
}

/** What is told of an event. */
export interface ExplainedEvent {
  /** By document and name. */
  readonly deliveries: readonly ExplainedDelivery[]
}

/** @throws InvalidSpecError with all that is wrong with a described event */
export function readEvent(event: unknown): JsonMap & { readonly topic: string } {
  const report = new Report([], 'hidden')
  rule(event, '/event', report)
  const topic = memberOf(event, 'topic')
  if (topic === undefined) report.missing('/event', 'topic', 'the topic of the event')
  const issues = [...report.issues, ...report.warnings]
  if (issues.length > 0) throw new InvalidSpecError(issues)
  return event as JsonMap & { readonly topic: string }
}

/** @param secretNames names of members that are hidden (`explain.redact`) */
export function explainEvent(
  event: JsonMap & { readonly topic: string },
  { table, isVisible }: Pick<World, 'table' | 'isVisible'>,
  codec: BodyCodec,
  secretNames: readonly string[],
): ExplainedEvent {
  const deliveries = table.entries
    .filter(isDeliveryEntry)
    .filter(({ realm_uri, delivery }) => {
      const { topic, match } = delivery
      return isVisible(realm_uri) && isMatched(event.topic, topic, match)
    })
    .map(({ api, delivery }): ExplainedDelivery => {
      const { name, at, isActive, sign } = delivery
      const shown = showDelivery(delivery, event, codec)
      const told =
        'failed' in shown
          ? { order: null, request: null, error: shown.failed }
          : { order: shown.order ?? null, request: shown.request, error: null }
      return {
        ...{ api_spec: api, delivery: name, at, is_active: isActive, sign: sign ?? null },
        ...told,
      }
    })
    .sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  const sources = { names: secretNames, headers: [], request: event }
  return redact({ deliveries }, sources) as ExplainedEvent
}

const keyOf = ({ api_spec, delivery }: ExplainedDelivery): string => `${api_spec}\n${delivery}`
