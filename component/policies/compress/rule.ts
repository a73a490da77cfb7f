/** The rule of `compress`: which answers are compressed, and how. */
import { closedMap } from '#component/spec/closed-map.ts'
import {
  described,
  dynamic,
  integer,
  listOf,
  must,
  oneOf,
  type Rule,
  rule,
} from '#component/spec/rules.ts'
import { codingNames, levels } from './codings.ts'
import { compressDefaults } from './plan.ts'

const typePattern = '^(?:[A-Za-z0-9!#$&^_.+-]+/(?:[A-Za-z0-9!#$&^_.+-]+|\\*)|\\+[A-Za-z0-9.-]+)$'
const isType = new RegExp(typePattern)

const type = must(
  'a media type, type/* or a suffix such as +json',
  (value) => typeof value === 'string' && isType.test(value),
  { type: 'string', pattern: typePattern },
)

const map: Rule = closedMap('true, false, or a map such as {codings, min_bytes, types, level}', {
  codings: described(
    dynamic(listOf(oneOf(codingNames), 'a list of codings')),
    'The content codings, the preferred one first.',
    { default: compressDefaults.codings },
  ),
  min_bytes: described(
    dynamic(integer(100, 1_048_576, ' of bytes')),
    'Shorter bodies are not compressed.',
    { default: compressDefaults.min_bytes },
  ),
  types: described(
    dynamic(listOf(type, 'a list of media types')),
    'Media types of the bodies that are compressed: type/subtype, type/*, or a suffix such as +json.',
    { default: compressDefaults.types },
  ),
  level: described(
    dynamic(oneOf(levels)),
    'Whether compressing takes little time, or bodies become smaller. What cache keeps is always small.',
    { default: compressDefaults.level },
  ),
})

/** `null` and `false` take away what a level above sets. */
export const compressRule: Rule = dynamic(
  described(
    rule({ anyOf: [{ type: ['boolean', 'null'] }, map.schema] }, (value, path, report) => {
      if (typeof value !== 'boolean' && value !== null) map(value, path, report)
    }),
    'Whether bodies of responses are compressed for clients that accept it. Absent: as gateway.compress of the configuration says.',
  ),
)
