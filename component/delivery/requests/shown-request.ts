/** What a delivery would send for a described event, as examples and explanations tell it: nothing is signed or sent. */
import type { BodyCodec } from '#component/action/forward/body.ts'
import type { DeliveredEvent, DeliveryFailure } from '#component/delivery/types.ts'
import { isMap, mapOrEmpty } from '#component/syntax/values.ts'
import { DeliveryRendering, type RenderedRequest } from './compiled-delivery.ts'
import type { DeliveryPlan } from './plan.ts'

/** A request, for people. */
export interface ShownRequest {
  /** In capitals. */
  readonly method: string
  /** Scheme, host, path and query; of an upstream path and query. */
  readonly url: string
  /** The upstream of the realm that it goes to; absent: it goes to the host of the URL. */
  readonly upstream?: string
  /** Names in lower case; without those of the gateway but for `webhook-id`. */
  readonly headers: Readonly<Record<string, string>>
  /** Decoded. */
  readonly body: unknown
}

/** What becomes of an event: a request, with the key of its order; null: the filter leaves it out. */
export type ShownDelivery =
  | { readonly request: ShownRequest | null; readonly order?: string }
  | DeliveryFailure

/** The id of the message in what is shown. */
const exampleId = 'msg_example'

/** An event as it is described, completed. */
function describedEvent(written: unknown, { topic }: Pick<DeliveryPlan, 'topic'>) {
  const { args, kwargs, details, ...given } = mapOrEmpty(written)
  const textOf = (key: string, otherwise: string): string => {
    const value = given[key]
    return typeof value === 'string' ? value : otherwise
  }
  const event: DeliveredEvent = {
    topic: textOf('topic', topic),
    args: Array.isArray(args) ? args : [],
    kwargs: isMap(kwargs) ? kwargs : {},
    details: isMap(details) ? details : {},
    publication: textOf('publication', '1'),
    accepted_at: textOf('accepted_at', '2026-01-01T00:00:00.000Z'),
  }
  return event
}

function shown(
  { method, origin = '', upstream, path, headers, body }: RenderedRequest,
  codec: BodyCodec,
): ShownRequest {
  const texts = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null || value === '' ? [] : [[name, String(value)]],
  )
  const fields = Object.fromEntries([...texts, ['webhook-id', exampleId]])
  return {
    method: method.toUpperCase(),
    url: `${origin}${path}`,
    ...(upstream !== undefined && { upstream }),
    headers: fields,
    body: codec.decode(fields['content-type'] ?? '', body),
  }
}

/** What a delivery makes of a described event, at its first attempt. */
export function showDelivery(
  plan: DeliveryPlan,
  written: unknown,
  codec: BodyCodec,
): ShownDelivery {
  const rendering = new DeliveryRendering(plan, { codec, random: () => 0 })
  const event = describedEvent(written, plan)
  const admitted = rendering.admit(event)
  if ('failed' in admitted) return admitted
  const { isWanted, order } = admitted
  if (!isWanted) return { request: null }
  const rendered = rendering.ofEvent(event, { attempt: 1, webhook_id: exampleId, now: 0 })
  if ('failed' in rendered) return rendered
  return { request: shown(rendered, codec), ...(order !== undefined && { order }) }
}
