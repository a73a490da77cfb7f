/** The keys of sources and grants in a realm document: from where users may log in, and what they may do. */

import { network } from '#component/spec/http-rules.ts'
import { described, map, object, type Rule, rule, string } from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'
import { listOfAny, match, method, name, oneOrMore, permission } from './field-rules.ts'

const description = described(string, 'A text for readers.')
const meta = described(map, 'Anything; kept and shown.')

export const source = described(
  object('a source', {
    keys: {
      usernames: described(oneOrMore(name), '`"all"`, the name of a user, or a list of names.', {
        examples: ['all', ['ada', 'backend']],
      }),
      authmethod: described(
        method,
        'The method that these users may log in by. It must be among the `authmethods` of the realm, too.',
        { examples: ['wampcra'] },
      ),
      cidr: described(
        network,
        'The addresses that they may come from: one address, or a network. `0.0.0.0/0` is every address, also of IPv6.',
        { examples: ['10.0.0.0/8'] },
      ),
      meta,
      description,
    },
    required: {
      usernames: 'a name or a list of names',
      authmethod: 'an authentication method',
      cidr: 'an IP address or address/prefix',
    },
  }),
  'A source admits users by one method from some addresses.',
  { title: 'Source' },
)

const uri = described(
  string,
  'The URI, or the pattern of URIs. `*` is every URI, whatever `match` says.',
  {
    examples: ['com.example.books.'],
  },
)

const matchOf = described(
  match,
  'How `uri` is compared: as a whole, as the beginning, or with an empty component for any one (`com..list`).',
  { default: 'exact', examples: ['prefix'] },
)

const resource = described(
  object('a resource', { keys: { uri, match: matchOf }, required: { uri: 'a URI' } }),
  'URIs that a grant covers.',
  { title: 'Resource' },
)

const grantKeys = object('a grant', {
  keys: {
    permissions: described(
      oneOrMore(permission),
      '`wamp.call`, `wamp.publish`, `wamp.register`, `wamp.subscribe`; `wamp.cancel`, `wamp.unregister`, `wamp.unsubscribe` to take back what was done (the embedded router asks for them, too); `wamp.force_register` to take a procedure from another session; `service.issue` for tickets.',
      { examples: ['wamp.call', ['wamp.call', 'wamp.subscribe']] },
    ),
    roles: described(oneOrMore(name), 'Groups, users, `anonymous`, or `all` (every session).', {
      examples: ['staff', ['staff', 'ada']],
    }),
    uri,
    match: matchOf,
    resources: described(
      listOfAny(resource),
      'In the place of `uri` and `match`: several of them.',
      {
        examples: [[{ uri: 'com.example.books.', match: 'prefix' }]],
      },
    ),
    meta,
    description,
  },
  required: { permissions: 'a permission or a list of them', roles: 'a role or a list of roles' },
})

export const grant: Rule = described(
  rule(
    { ...grantKeys.schema, anyOf: [{ required: ['uri'] }, { required: ['resources'] }] },
    (value, path, report) => {
      grantKeys(value, path, report)
      if (!isMap(value) || Object.hasOwn(value, 'uri') || Object.hasOwn(value, 'resources')) return
      report.issue(path, 'expected uri (and match), or resources')
    },
  ),
  'A grant gives permissions on URIs to roles. It has `uri` (and `match`), or `resources`.',
  { title: 'Grant' },
)
