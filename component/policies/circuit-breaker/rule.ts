/** The rule of `circuit_breaker`: when an action that fails is not tried any more. */

import { closedMap, orNull } from '#component/spec/closed-map.ts'
import { uri } from '#component/spec/http-rules.ts'
import { described, dynamic, integer, listOf, must, type Rule } from '#component/spec/rules.ts'

/** The values of keys that are absent; times in seconds. */
export const breakerDefaults = {
  threshold: 0.5,
  minimum: 20,
  window: 10,
  open: 30,
  errors: [] as readonly string[],
} as const

const part = must(
  'a number above 0, at most 1',
  (value) => typeof value === 'number' && value > 0 && value <= 1,
  { type: 'number', exclusiveMinimum: 0, maximum: 1 },
)
const seconds = dynamic(integer(1, 3600, ' of seconds'))

const breaker: Rule = closedMap('a map such as {threshold, minimum, window, open, errors}', {
  threshold: described(
    dynamic(part),
    'The part of the results in the window that are failures from which the circuit opens.',
    { default: breakerDefaults.threshold },
  ),
  minimum: described(
    dynamic(integer(1, 1_000_000, ' of results')),
    'Fewer results in the window do not open it.',
    { default: breakerDefaults.minimum },
  ),
  window: described(seconds, 'Seconds.', { default: breakerDefaults.window }),
  open: described(seconds, 'How long no action is tried, before one is; seconds.', {
    default: breakerDefaults.open,
  }),
  errors: described(
    dynamic(listOf(uri, 'a list of error URIs', 0)),
    'Errors of the callee that are failures, too.',
    { default: breakerDefaults.errors },
  ),
})

/** `null` takes away what a level above sets. */
export const breakerRule: Rule = dynamic(
  described(
    orNull(breaker),
    'When an upstream or procedure that fails is not tried any more, for a while. null: never.',
  ),
)
