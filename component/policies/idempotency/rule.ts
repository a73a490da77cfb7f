/** The rule of `idempotency`: requests with an Idempotency-Key are performed once. */
import { closedMap, orNull } from '#component/spec/closed-map.ts'
import { boolean, described, dynamic, integer, oneOf, type Rule } from '#component/spec/rules.ts'

/** What holds where the document sets nothing. Seconds, bytes. */
export const idempotencyDefaults = {
  required: false,
  ttl: 86_400,
  on_unknown: 'refuse',
  max_bytes: 262_144,
}

const keys: Readonly<Record<string, Rule>> = {
  required: described(boolean, 'Whether POST and PATCH without an Idempotency-Key are refused.', {
    default: idempotencyDefaults.required,
  }),
  ttl: described(
    integer(1, 2_592_000, ' of seconds'),
    'How long a response is kept. Seconds, at most 30 days.',
    { default: idempotencyDefaults.ttl },
  ),
  on_unknown: described(
    oneOf(['refuse', 'retry']),
    'What becomes of repeats where it is not known whether the action was performed: refuse, or retry: they act again.',
    { default: idempotencyDefaults.on_unknown },
  ),
  max_bytes: described(
    integer(0, 1_048_576, ' of bytes'),
    'Larger responses are not kept: a repeat is refused with 409. Bytes.',
    { default: idempotencyDefaults.max_bytes },
  ),
}

/** An unknown key is an issue: its author expects a promise that would not hold. `null` takes away what a level above sets. */
export const idempotencyRule: Rule = dynamic(
  described(
    orNull(closedMap('a map, or null', keys)),
    'POST and PATCH with an Idempotency-Key are performed once; a repeat gets the same response. null: the key means nothing.',
  ),
)
