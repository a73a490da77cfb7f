/** The rule of `examples` of a delivery: events, and the request that is expected of each. */
import { pointer } from '#component/codec/json.ts'
import {
  anything,
  described,
  list,
  map,
  object,
  type Rule,
  rule,
  string,
  text,
} from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'

const maxOfDelivery = 100

/** Characters. */
const longestName = 100

/** An event, as it is described. */
export const describedEvent = object('an event: {topic, args, kwargs}', {
  keys: {
    topic: described(
      text('a WAMP URI', uriProblem),
      'The topic. Default: that of the delivery, where it is no pattern.',
    ),
    args: described(list, 'The arguments.', { default: [] }),
    kwargs: described(map, 'The keyword arguments.', { default: {} }),
    details: described(map, 'What the router discloses.', { default: {} }),
    publication: described(string, 'The id of the publication.', { default: '1' }),
    accepted_at: described(string, 'When it was accepted; RFC 3339.', {
      default: '2026-01-01T00:00:00.000Z',
    }),
  },
})

const requestMap = object('a request: {method, url, headers, body}', {
  keys: {
    method: described(string, 'The method, in capitals.', { examples: ['POST'] }),
    url: described(string, 'Scheme, host, path and query; of an upstream, the path and query.'),
    headers: described(map, 'Header fields that it has, by names in lower case.'),
    body: described(anything, 'The decoded body, equal as JSON.'),
  },
})

const expectedRequest: Rule = rule(
  { anyOf: [requestMap.schema, { type: 'null' }] },
  (value, path, report) => {
    if (value === null) return
    if (isMap(value)) requestMap(value, path, report)
    else report.expected(path, 'a map {method, url, headers, body}, or null for no request', value)
  },
)

const example = object('an example: {event, expect}', {
  keys: {
    description: string,
    event: described(describedEvent, 'The event.'),
    expect: object('a map {request}', {
      keys: {
        request: described(
          expectedRequest,
          'The request that is sent: only the members named are compared; null: the filter leaves the event out.',
        ),
      },
      required: { request: 'a request, or null' },
    }),
  },
  required: { event: 'an event', expect: 'what is sent' },
})

/** The examples of one delivery; literal, so texts with braces stay as they are. */
export const deliveryExamples: Rule = rule(
  {
    type: 'object',
    additionalProperties: example.schema,
    propertyNames: { minLength: 1, maxLength: longestName },
    maxProperties: maxOfDelivery,
    description: 'Examples of the delivery by name. wamp-gateway test runs them.',
  },
  (value, path, report) => {
    if (!isMap(value)) return report.expected(path, 'a map of names to examples', value)
    const names = Object.keys(value)
    if (names.length > maxOfDelivery) {
      return report.issue(path, `expected at most ${maxOfDelivery} examples, got ${names.length}`)
    }
    for (const name of names) {
      const at = pointer(path, name)
      if (name === '' || name.length > longestName) {
        report.issue(at, `expected a name of 1 to ${longestName} characters, got ${name.length}`)
      } else example(value[name], at, report)
    }
  },
)
