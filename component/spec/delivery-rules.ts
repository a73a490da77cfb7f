/** The rules of `deliveries`: which topics reach which HTTP services, and how often an attempt is made. */
import { entriesAt, pointer } from '#component/codec/json.ts'
import { originProblem } from '#component/syntax/upstream-origin.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { isMatch, type Match, matches, uriProblem } from '#component/syntax/wamp-uri.ts'
import { closedMap } from './closed-map.ts'
import { deliveryExamples } from './examples/delivery-examples.ts'
import { headers } from './http-rules.ts'
import type { Report } from './report.ts'
import {
  anything,
  boolean,
  described,
  dynamic,
  integer,
  isExpression,
  listOf,
  map,
  must,
  oneOf,
  type Rule,
  rule,
  string,
  text,
} from './rules.ts'

/** Of one document. */
const maxDeliveries = 100

/** Of one delivery. */
const maxDelays = 20

/** Endpoints of one user at one delivery. */
const maxPerUser = 100

/** Seconds in a day. */
const day = 86_400

/** Milliseconds that one attempt may take, at most: its row is leased as long. */
const maxTimeout = 120_000

/** What holds where a document says nothing. */
export const deliveryDefaults = {
  method: 'post',
  timeout: 15_000,
  connect_timeout: 5_000,
  delays: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
  jitter: 0.2,
  disable_after: 5 * day,
  concurrency: 4,
  max_pending: 100_000,
  max_age: 7 * day,
  on_full: 'refuse',
  per_user: 10,
} as const

/** The header fields that each request has from the gateway. */
const ownDeliveryFields = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

const seconds = (minimum: number, maximum: number) => integer(minimum, maximum, ' of seconds')

const number = (allowed: string, minimum: number, maximum: number): Rule =>
  must(allowed, (value) => typeof value === 'number' && value >= minimum && value <= maximum, {
    type: 'number',
    minimum,
    maximum,
  })

/** The header fields of a request, without those that the gateway sets. */
const ownHeaders: Rule = rule(headers.schema, (value, path, report) => {
  headers(value, path, report)
  if (!isMap(value)) return
  for (const name of Object.keys(value)) {
    if (!ownDeliveryFields.some((one) => one === name.toLowerCase())) continue
    report.issue(pointer(path, name), 'the gateway sets this header: leave it out')
  }
})

const nonEmpty = (value: string): string | undefined => (value === '' ? 'it is empty' : undefined)

const targetKeys = {
  url: described(
    dynamic(
      text(
        'a URL such as https://shop.example.com/hooks',
        (value) => deliveryUrlProblem(value),
        'hidden',
      ),
    ),
    'Scheme, host and path.',
    { examples: ['https://shop.example.com/hooks'] },
  ),
  upstream: described(
    text('the name of an upstream of the realm', nonEmpty),
    'An upstream of the realm, in place of `url`.',
  ),
  path: described(
    dynamic(
      text('a path', (value) =>
        value.startsWith('/') && !/^\/[/\\]/.test(value)
          ? undefined
          : 'it does not begin with a single "/"',
      ),
    ),
    'The path at the upstream.',
    { examples: ['/hooks/orders'] },
  ),
  endpoints: described(
    closedMap('a map {per_user}', {
      per_user: described(integer(1, maxPerUser), 'Endpoints of one user at this delivery.', {
        default: deliveryDefaults.per_user,
      }),
    }),
    'Users add the endpoints, by the action `delivery_endpoint`, in place of `url`.',
  ),
  method: described(oneOf(['post', 'put', 'patch']), 'The method of requests.', {
    default: deliveryDefaults.method,
  }),
  headers: described(ownHeaders, 'Header fields, beside those of the gateway.'),
  timeout: described(integer(1, maxTimeout, ' of milliseconds'), 'Of an attempt; milliseconds.', {
    default: deliveryDefaults.timeout,
  }),
  connect_timeout: described(
    integer(1, maxTimeout, ' of milliseconds'),
    'Of a connection; milliseconds.',
    { default: deliveryDefaults.connect_timeout },
  ),
} satisfies Readonly<Record<string, Rule>>

const closedTarget = closedMap('a map {url}, {upstream, path} or {endpoints}', targetKeys)

const target: Rule = described(
  rule(
    {
      ...closedTarget.schema,
      oneOf: [{ required: ['url'] }, { required: ['upstream'] }, { required: ['endpoints'] }],
      dependentRequired: { upstream: ['path'], path: ['upstream'] },
    },
    (value, path, report) => {
      closedTarget(value, path, report)
      if (!isMap(value)) return
      const [hasUrl, hasUpstream, hasEndpoints, hasPath] = [
        ...(['url', 'upstream', 'endpoints', 'path'] as const),
      ].map((key) => Object.hasOwn(value, key))
      if (Number(hasUrl) + Number(hasUpstream) + Number(hasEndpoints) !== 1) {
        report.issue(path, 'expected one of url, upstream and path, endpoints')
      } else if (hasEndpoints && hasPath) {
        report.issue(pointer(path, 'path'), 'endpoints have paths of their own: leave it out')
      } else if (hasUpstream && !hasPath) {
        report.missing(path, 'path', 'the path at the upstream')
      } else if (hasUrl && hasPath) {
        report.issue(pointer(path, 'path'), 'url is there, too: write the path in it')
      }
    },
  ),
  'Where requests go. Redirects are not followed.',
)

/** Why a text is no URL that requests may go to: the end of a sentence about it; undefined: it is one. */
function deliveryUrlProblem(value: string): string | undefined {
  if (!/^https?:\/\//i.test(value)) return 'it begins with neither http:// nor https://'
  const url = URL.parse(value)
  if (url === null) return 'it is malformed'
  if (url.username !== '' || url.password !== '') return 'it holds a user or a password'
  return url.hash === '' ? originProblem(`${url.protocol}//${url.host}`) : 'it has a fragment'
}

const delayList = listOf(seconds(1, day), 'a list of delays')

const delays: Rule = rule({ ...delayList.schema, maxItems: maxDelays }, (value, path, report) => {
  if (Array.isArray(value) && value.length > maxDelays) {
    report.issue(path, `expected at most ${maxDelays} delays, got ${value.length}`)
  } else delayList(value, path, report)
})

const retry = described(
  closedMap('a map {delays, jitter}', {
    delays: described(delays, 'Seconds from a failed attempt to the next one.', {
      default: deliveryDefaults.delays,
    }),
    jitter: described(
      number('a number from 0 to 0.9', 0, 0.9),
      'Each delay is multiplied by 1 ± a random part of this.',
      { default: deliveryDefaults.jitter },
    ),
  }),
  'When a failed attempt is made again.',
)

const truth = dynamic(boolean)

/** One delivery. */
const closedDelivery = closedMap(
  'a delivery: a map with topic and to',
  {
    topic: described(
      dynamic(string),
      'The topic, or the pattern of topics, whose events are delivered; known at load.',
      { examples: ['com.example.order.'] },
    ),
    match: described(oneOf(matches), 'How the topic of an event is compared with `topic`.', {
      default: 'exact',
    }),
    filter: described(truth, 'Whether an event is delivered.', { default: true }),
    to: target,
    body: described(anything, 'What is sent, at most 1 MiB. Default: `{type, timestamp, data}`.'),
    sign: described(
      text('the name of a signer of the realm', nonEmpty),
      'A signer in `info.webhook_signers` of the realm.',
      { examples: ['shop'] },
    ),
    order: described(
      dynamic(
        text('"all", or an expression', (value) =>
          value === 'all' ? undefined : 'it is neither "all" nor an expression',
        ),
      ),
      'Events with an equal key are delivered in order; `all`: all events.',
      { examples: ['all', '{{action.event.kwargs.id |> string}}'] },
    ),
    retry,
    disable_after: described(
      seconds(60, 30 * day),
      'Seconds of nothing but failures until it stops.',
      { default: deliveryDefaults.disable_after },
    ),
    concurrency: described(integer(1, 64), 'Attempts at once.', {
      default: deliveryDefaults.concurrency,
    }),
    rate: described(
      number('a number of attempts a second from 0.01 to 1000', 0.01, 1_000),
      'Attempts a second, at most. Default: any number.',
    ),
    max_pending: described(integer(1, 1_000_000), 'Events that may wait.', {
      default: deliveryDefaults.max_pending,
    }),
    max_age: described(seconds(60, 30 * day), 'Seconds until an event is a dead letter.', {
      default: deliveryDefaults.max_age,
    }),
    on_full: described(
      oneOf(['refuse', 'drop_oldest']),
      'What becomes of an event while `max_pending` wait.',
      { default: deliveryDefaults.on_full },
    ),
    on_gap: described(
      closedMap('a map {body}', { body: anything }, { body: 'the body of the message' }),
      'A message about events that were not accepted: `action.gap`.',
    ),
    is_active: described(boolean, '`false`: nothing is accepted or sent; what waits is kept.', {
      default: true,
    }),
    summary: string,
    description: described(string, 'What `webhooks` of the OpenAPI description tell.'),
    variables: map,
    examples: deliveryExamples,
  },
  { topic: 'a topic or a pattern', to: 'where requests go' },
)

/** `match` of a delivery; `exact` where it is none. */
export const deliveryMatch = ({ match }: JsonMap): Match => (isMatch(match) ? match : 'exact')

const ownTopics = 'service.'

/** Whether a pattern could match a topic of the gateway. */
const reachesOwn = (topic: string, match: Match): boolean =>
  match === 'wildcard'
    ? ['', 'service'].includes(topic.split('.', 1)[0] ?? '')
    : topic.startsWith(ownTopics) || (match === 'prefix' && ownTopics.startsWith(topic))

/** Reports a topic that no delivery may have. */
function checkTopic(topic: unknown, match: Match, path: string, report: Report): void {
  if (typeof topic !== 'string' || isExpression(topic)) return
  const problem = uriProblem(topic, match)
  if (problem !== undefined) {
    const pattern = match === 'exact' ? '' : ` (${match})`
    report.issue(path, `expected a WAMP URI${pattern}: ${problem}`)
  } else if (reachesOwn(topic, match)) {
    report.issue(path, 'a document may not deliver topics under "service."')
  }
}

/** One delivery. */
export const delivery: Rule = rule(closedDelivery.schema, (value, path, report) => {
  closedDelivery(value, path, report)
  if (!isMap(value)) return
  checkTopic(value.topic, deliveryMatch(value), pointer(path, 'topic'), report)
  if (isMap(value.to) && Object.hasOwn(value.to, 'endpoints') && Object.hasOwn(value, 'sign')) {
    report.issue(pointer(path, 'sign'), 'each endpoint of a user has its own secret: leave it out')
  }
})

/** The name of a delivery: it stands in paths of management and in metrics. */
export const isDeliveryName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name)

/** `deliveries` of a document. */
export const deliveries: Rule = described(
  rule(
    { type: 'object', additionalProperties: delivery.schema, maxProperties: maxDeliveries },
    (value, path, report) => {
      if (!isMap(value)) return report.expected(path, 'a map of names to deliveries', value)
      const all = entriesAt(value, path)
      if (all.length > maxDeliveries) {
        return report.issue(path, `expected at most ${maxDeliveries} deliveries, got ${all.length}`)
      }
      for (const [name, item, at] of all) {
        if (isDeliveryName(name)) delivery(item, at, report)
        else {
          report.issue(
            at,
            'expected a name of 1 to 64 letters, digits, ".", "_" and "-" that begins with a letter or digit',
          )
        }
      }
    },
  ),
  'What the gateway sends to HTTP services for the events of topics, by name.',
)
