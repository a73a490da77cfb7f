/** The keys of users, OAuth2 clients and groups in a realm document. */
import { boolean, described, listOf, map, object, string } from '#component/spec/rules.ts'
import { authorizedKey, listOfAny, name, orNull, roleName, unused } from './field-rules.ts'

const description = described(string, 'A text for readers.')

const userKeys = {
  groups: described(
    listOfAny(roleName),
    'The groups of the user. They are the roles of its sessions; a user without groups has its own name as its role.',
    { default: [], examples: [['staff']] },
  ),
  meta: described(
    map,
    'Anything about the user. Expressions read it as `security.meta`; `locale` in it is also `security.locale`.',
    { default: {}, examples: [{ locale: 'en', shop: 7 }] },
  ),
  scopes: described(
    listOf(name, 'a list of scopes and roles', 0),
    'Of an OAuth2 client: the scopes and roles that its access tokens may have, its own and those for resource owners. Default: all.',
    { examples: [['orders:read']] },
  ),
  enabled: described(
    boolean,
    '`false`: the user cannot log in, and everything issued to it is refused.',
    { default: true, examples: [false] },
  ),
  sso_realm_uri: unused,
  description,
}

export const user = described(
  object('a user', {
    keys: {
      username: described(
        roleName,
        'The name to log in with: the authid of its sessions. Unique among `users`, `oauth2.clients` and `oauth2.resource_owners`. Names and passwords are compared in NFC (RFC 8265), however they are written.',
        { examples: ['ada'] },
      ),
      password: described(
        orNull(name),
        'The password. A load stores it hashed. An absent key, or the text `[masked]`, keeps the stored one; `null` removes it.',
        { examples: ['correct horse battery staple'] },
      ),
      authorized_keys: described(
        listOfAny(authorizedKey),
        'Ed25519 public keys for the method `cryptosign`, each 64 hexadecimal digits.',
        {
          default: [],
          examples: [['d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a']],
        },
      ),
      ...userKeys,
    },
    required: { username: 'a name' },
  }),
  'A user, who logs in with a password or a key.',
  { title: 'User' },
)

export const client = described(
  object('a client', {
    keys: {
      client_id: described(roleName, 'As `username` of a user.', { examples: ['webapp'] }),
      client_secret: described(orNull(name), 'As `password` of a user.', {
        examples: ['correct horse battery staple'],
      }),
      ...userKeys,
    },
    required: { client_id: 'a name' },
  }),
  'An OAuth2 client: a user in the group `api_clients`.',
  { title: 'Client' },
)

export const group = described(
  object('a group', {
    keys: {
      name: described(roleName, 'The name, as users and grants write it.', { examples: ['staff'] }),
      groups: described(listOfAny(name), 'Groups to which the members of this one belong, too.', {
        default: [],
        examples: [['readers']],
      }),
      meta: described(map, 'Anything; kept and shown.'),
      description,
    },
    required: { name: 'a name' },
  }),
  'A group. Users and grants may also name groups that are not declared here.',
  { title: 'Group' },
)
