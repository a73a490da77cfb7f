/** The use of limits as processes send it to each other: JSON values, and a reader that takes nothing else. */
import type { ToldUse, Usage } from './usage-exchange.ts'

/** Keys in one message; a message that has more is not taken. */
const maxKeys = 10_000
/** Characters of a key; longer ones are digests (see {@link RateLimits}). */
const maxKey = 100
/** Milliseconds beyond which a number is none of ours. */
const maxMs = 1e13

/** A message without its envelope. */
export type UsageFields = Readonly<Record<'tick' | 'used', unknown>>

/** Milliseconds with three digits: what is rounded does not add up, since sums are told. */
const rounded = (ms: number): number => Math.round(ms * 1000) / 1000

/** As it is sent. */
export const usageFields = ({ tick, used }: Usage): UsageFields => ({
  tick,
  used: used.map(({ key, first, ms, aheadMs }) => [
    key,
    first,
    rounded(ms),
    Math.max(Math.round(aheadMs), 0),
  ]),
})

/** undefined: it is malformed. */
export function readUsage({ tick, used }: Partial<UsageFields>): Usage | undefined {
  if (!isTick(tick) || !Array.isArray(used) || used.length > maxKeys) return undefined
  const read = used.map((item: unknown) => readItem(item, tick))
  const told = read.filter((item) => item !== undefined)
  return told.length === used.length ? { tick, used: told } : undefined
}

function readItem(item: unknown, tick: number): ToldUse | undefined {
  if (!Array.isArray(item) || item.length !== 4) return undefined
  const [key, first, ms, aheadMs] = item as readonly unknown[]
  if (typeof key !== 'string' || key === '' || key.length > maxKey) return undefined
  if (!isTick(first) || first > tick || !isMs(ms) || !isMs(aheadMs)) return undefined
  return { key, first, ms, aheadMs }
}

const isTick = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 1

const isMs = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) <= maxMs
