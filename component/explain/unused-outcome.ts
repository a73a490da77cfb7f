/** Finds what an outcome gives that its action has no use for. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import { isMap } from '#component/syntax/values.ts'

type Streams = CompiledOperation['streams']

/** The members of an outcome that not every action has, and the operations that have them. */
const members: Readonly<Record<string, { isOf(streams: Streams): boolean; why: string }>> = {
  events: {
    isOf: (streams) => streams?.kind === 'events',
    why: 'only an action of type wamp_subscribe has events',
  },
  snapshot: {
    isOf: (streams) => streams?.kind === 'events' && streams.snapshot !== undefined,
    why: 'only an action of type wamp_subscribe with a snapshot has one',
  },
  pieces: {
    isOf: (streams) => streams?.kind === 'progress',
    why: 'only a call with on_progress has pieces',
  },
  result: {
    isOf: (streams) => streams?.kind !== 'events',
    why: 'a subscription has no result: give events',
  },
}

/**
 * What is given in vain.
 * @param outcome of valid shape, or a list of these
 * @param at its JSON Pointer
 */
export function unusedIn(
  outcome: unknown,
  { streams }: Pick<CompiledOperation, 'streams'>,
  at: string,
): readonly Issue[] {
  if (Array.isArray(outcome)) {
    return outcome.flatMap((each, index) => unusedIn(each, { streams }, pointer(at, index)))
  }
  if (!isMap(outcome)) return []
  return Object.entries(members)
    .filter(([name, { isOf }]) => Object.hasOwn(outcome, name) && !isOf(streams))
    .map(([name, { why }]) => ({ path: pointer(at, name), message: why }))
}
