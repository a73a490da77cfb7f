/** A realm with clients, owners and a backend, an API for them under oauth2, and what a client asks of its endpoints. */
import { type HttpAnswer, type HttpRequest, send } from '#test/support/http-request.ts'

export const shopRealm = 'com.example.realm'

/** Users by name with their passwords: a client, two owners, and who serves the procedure that one of them may call. */
export const passwords = {
  app: 'the secret of the app',
  ada: 'the password of ada',
  bob: 'the password of bob',
  backend: 'the password of the backend',
} as const

/** Who can log in at the token endpoint. */
type Owner = 'ada' | 'bob'

const user = (username: keyof typeof passwords, groups: readonly string[], more: object = {}) => ({
  ...{ username, password: passwords[username], groups, ...more },
})

const grant = (permission: string, role: string) => ({
  ...{ permissions: [permission], roles: [role], uri: 'com.example.order.', match: 'prefix' },
})

const source = (authmethod: string) => ({ usernames: 'all', authmethod, cidr: '0.0.0.0/0' })

/** The realm; `ada` may call, `bob` may not. @param ofAda members of ada's entry, such as `enabled` */
export const shopRealmWith = (ofAda: object = {}) => ({
  uri: shopRealm,
  authmethods: ['anonymous', 'wampcra', 'password', 'ticket', 'oauth2'],
  users: [
    user('app', ['api_clients']),
    user('ada', ['resource_owners', 'customers'], ofAda),
    user('bob', ['resource_owners']),
    user('backend', ['services']),
  ],
  groups: [{ name: 'customers' }, { name: 'services' }],
  sources: ['anonymous', 'wampcra', 'password', 'ticket', 'oauth2'].map(source),
  grants: [grant('wamp.call', 'customers'), grant('wamp.register', 'services')],
})

const response = {
  on_result: {},
  on_error: {
    status_code: '{{status_codes |> get({{action.error.error_uri}}, 500) |> integer}}',
    body: '{{action.error.kwargs |> put(code, {{action.error.error_uri}})}}',
  },
}

const me = { get: { action: { type: 'static', body: '{{security.authid}}' }, response } }

export const orderProcedure = 'com.example.order.get'

const order = {
  get: {
    action: { type: 'wamp_call', procedure: orderProcedure, args: [], kwargs: {} },
    response: { ...response, on_result: { body: '{{action.result.args |> head}}' } },
  },
}

/**
 * `/shop/me` says who asks, by a token, `/shop/key` by an API key; `/shop/order` calls {@link orderProcedure} as whoever asks,
 * `/shop/open` as anybody.
 */
export const shopDocument = {
  id: 'com.example.shop',
  host: '_',
  realm_uri: shopRealm,
  defaults: { security: { type: 'oauth2', flow: 'resource_owner_password_credentials' } },
  versions: {
    '1.0.0': {
      base_path: '/shop',
      paths: {
        '/me': me,
        '/key': { ...me, security: { type: 'api_key', header_name: 'x-key' } },
        '/order': order,
        '/open': { ...order, security: {} },
      },
    },
  },
}

/** What a token request is answered with. */
export interface TokenAnswer {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly scope: string
}

/** `Authorization: Basic` of a name and a password. */
export const basicOf = (name: string, password: string): string =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`

const appBasic = basicOf('app', passwords.app)

/** POSTs a form to an endpoint of the shop. @param base the gateway's address @param path such as `token` */
const postForm = (
  base: string,
  path: string,
  form: Readonly<Record<string, string>>,
  headers: HttpRequest['headers'] = {},
): Promise<HttpAnswer> =>
  send(base, `/shop/oauth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(form).toString(),
  })

/** A token request by password, as the client. */
export const askLogin = (
  base: string,
  username: string = 'ada',
  password: string = passwords[username as Owner],
): Promise<HttpAnswer> =>
  postForm(
    base,
    'token',
    { grant_type: 'password', username, password },
    { authorization: appBasic },
  )

const answered = (answer: HttpAnswer): TokenAnswer => {
  if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.text}`)
  return answer.json() as TokenAnswer
}

/** Tokens of an owner. @throws Error when there are none */
export const logIn = async (base: string, username: Owner = 'ada'): Promise<TokenAnswer> =>
  answered(await askLogin(base, username))

/** A token request with a refresh token. */
export const askRefresh = (base: string, refresh_token: string): Promise<HttpAnswer> =>
  postForm(base, 'token', { grant_type: 'refresh_token', refresh_token })

/** The next tokens. @throws Error when there are none */
export const refresh = async (base: string, refresh_token: string): Promise<TokenAnswer> =>
  answered(await askRefresh(base, refresh_token))

/** Revokes an access or a refresh token; the status. */
export const revoke = async (base: string, token: string): Promise<number> =>
  (await postForm(base, 'revoke', { token })).status

/** GET of a path of the shop with an access token. */
export const ask = (base: string, token: string, path = '/me'): Promise<HttpAnswer> =>
  send(base, `/shop${path}`, { headers: { authorization: `Bearer ${token}` } })

/** What `/me` answers to a token: 200, or 401. */
export const statusOf = async (base: string, token: string): Promise<number> =>
  (await ask(base, token)).status

/** `[status, error]` of an answer of an OAuth2 endpoint; without an error, the status alone. */
export const refusalOf = (answer: HttpAnswer): readonly unknown[] => {
  const { error } = answer.json() as { readonly error?: string }
  return error === undefined ? [answer.status] : [answer.status, error]
}

export const invalidGrant = [400, 'invalid_grant'] as const
