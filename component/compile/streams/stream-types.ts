/** The media types of an answer that is a stream, or may be one (behaviour §3: Accept). */
import type { InheritedValues, ResponsePlan } from '#component/gateway/api.ts'
import { isStreamType, type StreamType, streamTypes } from '#component/syntax/event-stream.ts'
import { essenceOf, isDataType } from '#component/syntax/media-type.ts'

/** What an answer may be: a stream of events, a value or the pieces of one, a value. */
export type Kind = 'events' | 'progress' | 'value'

/** Whether bodies of the type are written as they are: it is neither one that values are encoded as, nor that of a stream. */
export function isRawType(type: string): boolean {
  const essence = essenceOf(type)
  return !isDataType(essence) && !isStreamType(essence)
}

/** What decides which types are offered beside those that are inherited. */
export interface Offer {
  readonly kind: Kind
  /** Whether the operation itself says which types it provides. */
  readonly hasOwnProvides: boolean
  /** Whether the stream has one event at most, so that it can be one value, too. */
  readonly isOne: boolean
}

/** The types that an answer of events can have. */
export const eventTypes = ({ isOne }: Pick<Offer, 'isOne'>): readonly string[] =>
  isOne ? [...streamTypes, 'application/json'] : streamTypes

/**
 * The media types among which `Accept` chooses, where no header declares one. Types that an operation inherits do not keep it
 * from being a stream.
 */
export function offeredTypes(
  offer: Offer,
  { provides, offers }: InheritedValues,
): readonly string[] {
  const { kind, hasOwnProvides } = offer
  if (kind === 'value') return provides
  const namesStream = offers.some(isStreamType)
  if (kind === 'progress') return namesStream ? offers : [...provides, ...streamTypes]
  const possible = eventTypes(offer)
  const named = offers.filter((type) => possible.includes(essenceOf(type)))
  return namesStream || (hasOwnProvides && named.length > 0) ? named : possible
}

/** The types of a stream among others. */
export const streamTypesOf = (types: readonly string[]): readonly StreamType[] =>
  types.filter(isStreamType)

/**
 * The media types that the answer to a success can have, where `Accept` may refuse them; undefined where nothing is refused.
 * @param offered as {@link offeredTypes} gives them
 */
export function negotiatedTypes(
  kind: Kind,
  offered: readonly string[],
  on_result: ResponsePlan,
  { declares }: InheritedValues,
  { isForward, readsAnswer }: { readonly isForward: boolean; readonly readsAnswer: boolean },
): readonly string[] | undefined {
  if (kind === 'events') return offered
  const isOwn = !isForward || on_result.body !== undefined
  const mayBeComputed = on_result.layers.some(
    ({ computed, whole }) => whole || computed.some(([name]) => name === 'content-type'),
  )
  const type = on_result.headers['content-type']
  if (isOwn && mayBeComputed) return kind === 'progress' ? offered : undefined
  if (isOwn && type !== undefined) {
    return kind === 'value' || isRawType(type) ? [type] : [type, ...streamTypesOf(offered)]
  }
  return isForward && !readsAnswer && !declares.provides ? undefined : offered
}
