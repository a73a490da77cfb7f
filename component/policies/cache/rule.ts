/** The rule of `cache`: which answers are kept, for whom, and for how long. */

import { pointer } from '#component/codec/json.ts'
import { closedMap, orNull } from '#component/spec/closed-map.ts'
import {
  boolean,
  described,
  dynamic,
  integer,
  isExpression,
  listOf,
  must,
  oneOf,
  type Rule,
  rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { headerNameProblem } from '#component/syntax/http-field.ts'
import { isMap } from '#component/syntax/values.ts'
import { isMatch, matches, uriProblem } from '#component/syntax/wamp-uri.ts'

/** Statuses that a cache may keep and whose meaning it needs not know (RFC 9110 §15.1; 206 it would have to). */
const statuses = [200, 203, 204, 300, 301, 308, 404, 410]

/** A year. */
const maxSeconds = 31_536_000
const seconds = (minimum: number): Rule => dynamic(integer(minimum, maxSeconds, ' of seconds'))

const purgeKeys = {
  topic: described(dynamic(string), 'The topic, or the pattern of topics.'),
  match: described(dynamic(oneOf(matches)), 'How the topic is compared with those of events.', {
    default: 'exact',
  }),
  tags: described(
    listOf(dynamic(string), 'a list of texts', 0),
    'Tags of the responses that an event drops; expressions over action.event. Absent: all responses of the rule.',
  ),
}

const event = closedMap('a map {topic}', purgeKeys, { topic: 'the topic of the events' })

/** One event that drops answers. */
const purge: Rule = rule(event.schema, (value, path, report) => {
  event(value, path, report)
  if (!isMap(value)) return
  const { topic, match = 'exact' } = value
  const isKnown = typeof topic === 'string' && !isExpression(topic) && isMatch(match)
  const problem = isKnown ? uriProblem(topic, match) : undefined
  if (problem !== undefined) {
    report.issue(
      pointer(path, 'topic'),
      `expected a WAMP URI${match === 'wildcard' ? ' pattern' : ''}: ${problem}`,
    )
  }
})

const keys = {
  ttl: described(
    seconds(1),
    'Seconds that a response is fresh; less where it says so itself. Absent: as long as an upstream says, and other responses are not kept.',
  ),
  per: described(
    oneOf(['user', 'all']),
    'Who shares a response. Absent: user where the path is secured, else all.',
  ),
  vary: described(
    listOf(dynamic(text('the name of a header field', headerNameProblem)), 'a list of names', 0),
    'Request fields that responses differ by, beside those that expressions read and responses name in Vary.',
    { default: [] },
  ),
  statuses: described(
    listOf(
      must(`one of ${statuses.join(', ')}`, (value) => statuses.includes(value as number), {
        enum: statuses,
      }),
      'a list of statuses',
    ),
    'Statuses of responses that are kept.',
    { default: [200] },
  ),
  stale_while_revalidate: described(
    seconds(0),
    'Seconds that a stale response is served while a fresh one is fetched.',
    { default: 0 },
  ),
  stale_if_error: described(
    seconds(0),
    'Seconds that a stale response is served where the action fails.',
    { default: 0 },
  ),
  tags: described(
    listOf(dynamic(string), 'a list of texts', 0),
    'Texts that responses are purged by; expressions over request and action.',
    { default: [] },
  ),
  purge_on: described(
    listOf(purge, 'a list of events', 0),
    'Events that drop responses. While the gateway may miss one of them, nothing is kept.',
    { default: [] },
  ),
  coalesce: described(
    boolean,
    'Whether requests for the same response wait for the first of them.',
    {
      default: true,
    },
  ),
}

/** `null` takes away what a level above sets. An unknown key is an issue: its author expects answers to be told apart by it. */
export const cacheRule: Rule = dynamic(
  described(
    orNull(closedMap('a map such as {ttl: 60}', keys)),
    'Responses to GET and HEAD are kept in memory and served again. null: they are not.',
  ),
)
