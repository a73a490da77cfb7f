/** What the endpoints of a user are to a document: the row of `delivery_endpoint`. */
import { actionKind, anyInvocation } from '#component/action/kind.ts'
import { anything, described, oneOf, string } from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'

/** What may be done with the endpoints of a user: the key that each needs, and what it fails with. */
export const endpointVerbs = {
  add: { key: 'url', errors: ['wamp.error.invalid_argument', 'service.error.quota_exceeded'] },
  list: { key: undefined, errors: [] },
  remove: { key: 'id', errors: ['service.error.not_found'] },
  rotate: { key: 'id', errors: ['service.error.not_found'] },
} as const

/** What is done. */
export type EndpointVerb = keyof typeof endpointVerbs

/** The name of what is done; undefined for another text. */
export const endpointVerbOf = (value: unknown): EndpointVerb | undefined =>
  (Object.keys(endpointVerbs) as EndpointVerb[]).find((verb) => verb === value)

/** Adds, lists, removes and rotates the endpoints of the user that the request acts for. */
export const deliveryEndpoint = actionKind({
  type: 'delivery_endpoint',
  shape: {
    keys: {
      delivery: described(string, 'A delivery of the document whose `to` has `endpoints`.'),
      do: described(
        oneOf(Object.keys(endpointVerbs)),
        'What is done with the endpoints of the user.',
      ),
      url: described(anything, 'Of `add`: the URL; https, a public host.'),
      id: described(anything, 'Of `remove` and `rotate`: the id of the endpoint.'),
    },
    required: {
      delivery: 'the name of a delivery of the document',
      do: `one of ${Object.keys(endpointVerbs).join(', ')}`,
    },
  },
  check(action, path, report) {
    const verb = endpointVerbOf(action.do)
    const needed = verb && endpointVerbs[verb].key
    if (needed === undefined || !isMap(action) || Object.hasOwn(action, needed)) return
    const what = needed === 'url' ? 'the URL of the endpoint' : 'the id of the endpoint'
    report.missing(path, needed, what)
  },
  ofInvocations: anyInvocation,
  fields: { delivery: 'known', do: 'known', url: 'value', id: 'value' },
  handsTo: 'delivery',
  isOfUser: true,
  errorsOf({ do: verb }) {
    const { errors } = endpointVerbs[endpointVerbOf(verb) ?? 'list']
    return [...errors, 'wamp.error.not_authorized', 'service.error.unavailable']
  },
  result: ['endpoint', 'endpoints', 'secret', 'is_repeat', 'ping'],
})
