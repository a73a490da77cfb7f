/** The media types of an answer that is a stream, or may be one (behaviour §3: Accept). */
import type { InheritedValues, ResponsePlan } from '#component/gateway/api.ts'
import { isStreamType, type StreamType, streamTypes } from '#component/syntax/event-stream.ts'
import { essenceOf, isJsonType } from '#component/syntax/media-type.ts'

/** What an answer may be: a stream of events, a value or the pieces of one, a value. */
export type Kind = 'events' | 'progress' | 'value'

/** Whether bodies of the type are written as they are: it is neither one that values are encoded as, nor that of a stream. */
export function isRawType(type: string): boolean {
  const essence = essenceOf(type)
  return !isJsonType(essence) && essence !== 'application/msgpack' && !isStreamType(essence)
}

/**
 * The media types among which `Accept` chooses, where no header declares one. Types that an operation inherits do not keep it
 * from being a stream.
 */
export function offeredTypes(kind: Kind, { provides, offers }: InheritedValues): readonly string[] {
  if (kind === 'value') return provides
  const named = offers.filter(isStreamType)
  if (kind === 'events') return named.length > 0 ? named : streamTypes
  return named.length > 0 ? offers : [...provides, ...streamTypes]
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
