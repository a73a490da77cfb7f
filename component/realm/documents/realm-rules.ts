/** The keys of a realm document: the rule of each, what editors and docs/realm.md say of it, and the validation of a whole document. */
import { pointer } from '#component/codec/json.ts'
import { info } from '#component/realm/documents/info/info-rules.ts'
import type { Report } from '#component/spec/report.ts'
import {
  anything,
  boolean,
  described,
  type JsonSchema,
  object,
  string,
} from '#component/spec/rules.ts'
import { grant, source } from './access-rules.ts'
import { listOfAny, method, realmUri, unused } from './field-rules.ts'
import { at, memberLists, nameOf } from './membership.ts'
import { loginPage } from './page-rules.ts'
import { findScopesLikeRoles, scopes } from './scope-rules.ts'
import { client, group, user } from './user-rules.ts'

const oauth2 = described(
  object('a map', {
    keys: {
      clients: described(listOfAny(client), 'Users in the group `api_clients`.'),
      resource_owners: described(listOfAny(user), 'Users in the group `resource_owners`.', {
        examples: [[{ username: 'bob' }]],
      }),
    },
  }),
  'Users of OAuth2 as older documents list them. They may stand in `users` as well, with these groups.',
  { title: 'OAuth2' },
)

/** A realm document. */
export const realm = described(
  object('a realm document', {
    keys: {
      uri: described(
        realmUri,
        'The URI of the realm. A load of the same URI replaces the document.',
        {
          examples: ['com.example.books'],
        },
      ),
      description: described(
        string,
        'A text for readers of the document. Users of the APIs do not see it: the name of the realm on the [pages that people meet](oidc.md#the-pages-that-people-meet) is `login_page.title`.',
      ),
      authmethods: described(
        listOfAny(method),
        'The methods by which sessions and requests of the realm log in: `anonymous`, `ticket`, `wampcra`, `cryptosign`; over HTTP `password`, `oauth2`, `oidcrp`, `jwt`, `cookie`. Default: `anonymous` in a realm without users, else `cryptosign`, `wampcra`, `ticket` and `password`.',
        { examples: [['anonymous', 'wampcra']] },
      ),
      users: described(listOfAny(user), 'The users. A name stands once.', { default: [] }),
      groups: described(listOfAny(group), 'The groups.', { default: [] }),
      scopes: described(
        scopes,
        'The [scopes](oauth2.md#scopes) of access tokens of the gateway, by name: at most 500 names of RFC 6749, section 3.3, none of which is the name of a role.',
        { default: {}, examples: [{ 'orders:read': { roles: ['readers'] } }] },
      ),
      sources: described(
        listOfAny(source),
        'From where users may log in, by which method. Without the key: all by every method of the realm, from everywhere; with it, only what a source admits.',
      ),
      grants: described(
        listOfAny(grant),
        'Who may do what. Without the key everything is allowed, URIs under `wamp.` and `service.` apart, unless `security_enabled` is `true`; with it, only what a grant allows.',
      ),
      security_enabled: described(
        boolean,
        '`false`: everything is allowed whatever the grants say, URIs under `wamp.` and `service.` apart. `true`: only what a grant allows, also without the key `grants`. Default: `true` with `grants`, else `false`.',
        { examples: [true] },
      ),
      allow_connections: described(boolean, '`false`: the realm accepts no sessions.', {
        default: true,
        examples: [false],
      }),
      prototype_uri: described(
        realmUri,
        'Another realm, from which this one takes each of `authmethods`, `security_enabled`, `groups`, `scopes`, `sources`, `grants`, `login_page` and `info` that it does not have itself. `users` are not inherited.',
        { examples: ['com.example.prototype'] },
      ),
      is_prototype: described(
        boolean,
        '`true`: the realm accepts no sessions, because it is there to be a prototype. A realm that another one names in `prototype_uri` accepts none either.',
        { default: false, examples: [true] },
      ),
      login_page: described(
        loginPage,
        '`true`, or the [texts](#loginpage) of pages: `GET …/oidc/login` without `provider` returns a page with a link for each provider of the realm, where it has several.',
        { default: false, examples: [true, { support: 'Help: support@example.com' }] },
      ),
      info: described(
        info,
        'Anything. The gateway reads `oidc_providers`: names to [providers](#provider) of OpenID Connect; `jwt_issuers`: names to [issuers](#issuer) of access tokens; `webhook_senders`: names to [senders](#sender) of webhooks; `webhook_signers`: names to [signers](#signer) of what is delivered; and `upstreams`: names to [upstreams](#upstream) of forwards.',
        {
          examples: [
            { oidc_providers: { main: { issuer: 'https://id.example.com', client_id: 'books' } } },
          ],
        },
      ),
      oauth2,
      private_keys: unused,
      public_keys: unused,
      sso_realm_uri: unused,
      is_sso_realm: unused,
      ts: described(
        anything,
        'When the document was loaded. Management adds it, and a load ignores it.',
      ),
      $schema: described(anything, 'For editors.'),
    },
    required: { uri: 'a WAMP URI' },
  }),
  'A realm document says who may join a realm, and what they may do.',
  { title: 'Realm' },
)

/** The JSON Schema of what a load takes: a realm document, or a list of them. */
export const realmSchema: JsonSchema = {
  anyOf: [realm.schema, { type: 'array', items: realm.schema }],
}

/** Users, clients and resource owners are one set of users. */
function findDuplicateUsers(document: unknown, path: string, report: Report): void {
  const seen = new Map<unknown, string>()
  for (const { keys, name: nameKey } of memberLists) {
    const members = at(document, keys)
    if (!Array.isArray(members)) continue
    for (const [index, member] of members.entries()) {
      const written = at(member, [nameKey])
      const found = typeof written === 'string' ? nameOf(written) : written
      const place = pointer(path, ...keys, index, nameKey)
      const first = seen.get(found)
      if (first === undefined) seen.set(found, place)
      else if (found !== undefined) report.issue(place, `another user has this name: ${first}`)
    }
  }
}

/**
 * Validates one realm document whose environment is filled in.
 * @param path JSON Pointer of the document in the loaded JSON
 */
export function validateRealm(document: unknown, path: string, report: Report): void {
  realm(document, path, report)
  findDuplicateUsers(document, path, report)
  findScopesLikeRoles(document, path, report)
}
