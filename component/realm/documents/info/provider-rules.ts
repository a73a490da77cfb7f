/** The keys of an identity provider in `info.oidc_providers`, and what loading a realm document checks of them. */
import { pointer } from '#component/codec/json.ts'
import { anything, described, object, oneOf, type Rule, rule } from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'
import {
  clientAuthentications,
  type ProviderSettings,
  pushedRequests,
  secretAuthentications,
} from './provider-settings.ts'
import { type Problem, readProvider } from './provider-values.ts'

/** A load warns of wrong values, and a login reports them. */
const read = (description: string, example: unknown, fallback?: unknown): Rule =>
  described(anything, description, {
    ...(fallback !== undefined && { default: fallback }),
    examples: [example],
  })

const keys = {
  title: read(
    'What people are shown in place of the name where they choose among providers ([`login_page`](#realm)): 1 to 64 printable characters.',
    'Example Company',
  ),
  issuer: read(
    'Required. The URL of the provider, without `/.well-known/…`.',
    'https://id.example.com',
  ),
  client_id: read('Required. The name of the gateway at the provider.', 'books'),
  client_secret: read(
    'The secret of the gateway at the provider: a text, `{env: NAME}` or `{file: …}`. Absent for a public client; a load without it keeps the stored one, unless it names a new address for it: see [where secrets go](oidc.md#openid-connect).',
    { env: 'BOOKS_OIDC_SECRET' },
  ),
  client_authentication: described(
    oneOf(clientAuthentications),
    'How the gateway authenticates at the provider: with `client_secret` in a header (`basic`) or in the form (`post`), by a JWT that `private_key` signs (`private_key_jwt`), or not at all (`none`). Default: `private_key_jwt` with a `private_key`, `none` without a secret, else what the provider announces.',
    { examples: ['private_key_jwt'] },
  ),
  private_key: read(
    'The private key of the gateway at the provider: a PEM of PKCS #8 of P-256 (ES256), Ed25519 (EdDSA), or RSA of 2048 bits or more (RS256), as a text, `{env: NAME}` or `{file: …}`. Its public half is served at `<base_path>/oidc/<provider>/jwks`. See [a key in place of a secret](oidc.md#a-key-in-place-of-a-secret).',
    { file: '/etc/wamp-gateway/books.pem' },
  ),
  token_endpoint_auth_method: described(
    oneOf(secretAuthentications),
    'The older name of `client_authentication`: `client_secret_basic` is `basic`, `client_secret_post` is `post`.',
    { examples: ['client_secret_post'] },
  ),
  internal_issuer_url: read(
    'The URL of the issuer inside your network, where browsers know it by another one: discovery, tokens, keys and userinfo are fetched there. The provider must still call itself `issuer`. See [a provider with two addresses](oidc.md#a-provider-with-two-addresses).',
    'https://keycloak.internal:8443/realms/books',
  ),
  ca_file: read(
    'A PEM file with the certificates that the provider is trusted by, in place of those of the system. Read at each login.',
    '/etc/wamp-gateway/company-ca.pem',
  ),
  par: described(
    oneOf(pushedRequests),
    'Pushed authorization requests (RFC 9126): the provider gets the request from the gateway, and the browser only a reference to it. `auto`: where the provider offers it. Default: where the provider requires it.',
    { examples: ['auto'] },
  ),
  redirect_uri: read(
    'The address of the callback, as the provider knows it. Default: see the [callback address](oidc.md#openid-connect).',
    'https://shop.example.com/v1/oidc/main/callback',
  ),
  scopes: read(
    '`openid` is always among them.',
    ['openid', 'email'],
    ['openid', 'profile', 'email'],
  ),
  login_parameters: read(
    'Parameters of the query that `GET …/oidc/login` passes on to the provider: texts of at most 256 characters. What the gateway sets itself, such as `scope`, is refused. See [parameters of a login](oidc.md#parameters-of-a-login).',
    ['login_hint', 'ui_locales', 'acr_values', 'prompt', 'max_age'],
    [],
  ),
  authorization_parameters: read(
    'Parameters that every login sends to the provider. A name stands here or in `login_parameters`.',
    { kc_idp_hint: 'github' },
    {},
  ),
  authid_claim: read(
    'The claim that names the user, or a [path](oidc.md#paths-of-claims) to it. `sub` where the claim is absent. `email` needs `email_verified` (`true`, or the text `"true"` as Amazon Cognito sends it) beside it in the ID token or userinfo that holds the address; else `missing_authid_claim`.',
    'email',
    'preferred_username',
  ),
  role_claim: read(
    'The claim that holds the roles, or a [path](oidc.md#paths-of-claims) to it: a text, a list, or a map whose keys are the roles.',
    'resource_access."com.example.books".roles',
    'roles',
  ),
  role_claim_fallback: read(
    'The claim that holds them where `role_claim` is absent.',
    'group',
    'role',
  ),
  role_mapping: read(
    'A role of the provider to one or more of the realm. With a mapping, other roles are dropped. `spec_loader` and `spec_reader` come by a mapping only.',
    { staff: 'operators' },
    {},
  ),
  claims: read(
    'Claims that expressions read as `security.claims.<name>`, copied at the login from the ID token, else from userinfo; [paths](oidc.md#paths-of-claims) walk maps. At most 2 kB in all.',
    ['email', 'address.country'],
    [],
  ),
  auto_provision: read('`false`: only users that the realm document names.', false, true),
  ticket_idle_secs: read(
    'A ticket that is not used for so long is refused: 300 to 2592000 seconds. Default: tickets need not be used. See [idle tickets](oidc.md#idle-tickets).',
    1_800,
  ),
  ticket_expiry_secs: read(
    'How long tickets and their cookies are valid. Seconds.',
    86_400,
    2_592_000,
  ),
  recheck_interval: read(
    'How long a login counts without the provider being asked whether the user may still log in, and with which roles and claims; needs refresh tokens. Seconds, at least 60; 0: never.',
    300,
    0,
  ),
  recheck_grace: read(
    'How much longer it counts while the provider does not respond. Seconds.',
    900,
    3_600,
  ),
  pass_access_token: read(
    'Whether the access token of the provider is kept, and renewed, so that a forward or a call can send it as `security.provider_token`. See [the token of the provider](oidc.md#the-token-of-the-provider).',
    true,
    false,
  ),
  allow_unsafe_http: read(
    "For tests: http, and endpoints at private addresses off the issuer's origin. An https issuer and the endpoints at its own origin may be at a private address (`https://127.0.0.1`) without it, because the realm document names the issuer.",
    true,
    false,
  ),
  cookie_domain: read(
    'The `Domain` of the two cookies. Default: none, the host alone.',
    'example.com',
  ),
  cookie_same_site: read(
    'The `SameSite` of the two cookies: `lax`, `strict` or `none`.',
    'strict',
    'lax',
  ),
  allowed_redirect_uris: read(
    'URLs, or origins with all of theirs, where a login may end beside paths of this origin.',
    ['https://app.example.com'],
    [],
  ),
  post_logout_redirect_uris: read(
    "URLs where a logout may end after the provider's own page.",
    ['https://app.example.com/bye'],
    [],
  ),
} as const satisfies Readonly<Record<Exclude<keyof ProviderSettings, 'name'>, Rule>>

const shape = object('a provider', { keys })

/** Keys whose values the shape has judged: a load refuses wrong ones. */
const judged: ReadonlySet<string> = new Set([
  'client_authentication',
  'token_endpoint_auth_method',
  'par',
])

const noLogin = 'no login at this provider succeeds'

/** One provider. A load warns of values by which no login succeeds. */
export const provider: Rule = described(
  rule(shape.schema, (value, path, report) => {
    if (!isMap(value)) return report.warn(path, `expected a map: ${noLogin}`)
    shape(value, path, report)
    const found = readProvider('', value)
    if (!Array.isArray(found)) return
    for (const { key, wanted } of found as readonly Problem[]) {
      if (judged.has(key)) continue
      report.warn(pointer(path, key), `expected ${wanted}: ${noLogin}`)
    }
  }),
  'A provider of OpenID Connect, under `info.oidc_providers.<name>`.',
  { title: 'Provider' },
)
