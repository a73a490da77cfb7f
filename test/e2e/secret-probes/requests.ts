/** The requests of the test that looks for leaked secrets: right ones and wrong ones, with secrets wherever a request may have them. */
import { passwords, planted, secretProbe, wrong } from './documents.ts'
import { managementRequests } from './management.ts'

/** One request; `raw` is sent as it is. */
export interface Ask {
  readonly to: 'gateway' | 'admin'
  readonly target: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly raw?: string
}

/** What the gateway has issued. */
export interface Issued {
  readonly access: string
  readonly refresh: string
  readonly ticket: string
  readonly apiKey: string
}

const form = 'application/x-www-form-urlencoded'
const inQuery = encodeURIComponent(wrong)

const basicOf = (text: string) => ({
  authorization: `Basic ${Buffer.from(text).toString('base64')}`,
})

/** As OAuth2 clients authenticate themselves: both parts are form-encoded. */
export const client = basicOf(`app:${encodeURIComponent(passwords.app)}`)

const get = (target: string, headers: Ask['headers'] = {}): Ask => ({
  to: 'gateway',
  target,
  headers,
})

const post = (target: string, body: unknown, headers: Ask['headers'] = {}): Ask => ({
  to: 'gateway',
  target,
  method: 'POST',
  headers,
  body,
})

/** A request to an OAuth2 endpoint. */
export const ofForm = (
  endpoint: string,
  fields: Readonly<Record<string, string>>,
  headers: Ask['headers'] = {},
): Ask =>
  post(`/api/oauth/${endpoint}`, new URLSearchParams(fields).toString(), {
    'content-type': form,
    ...headers,
  })

/** The password grant of `ada`. */
export const login = ofForm(
  'token',
  { grant_type: 'password', username: 'ada', password: passwords.ada },
  client,
)

/** Wherever a path is protected: the credentials that a request may have in its headers. */
function credentials({
  access,
  refresh,
  ticket,
  apiKey,
}: Issued): Readonly<Record<string, string>>[] {
  const tokens = [
    access,
    refresh,
    ticket,
    apiKey,
    wrong,
    `${access}x`,
    `x${access}`,
    access.slice(0, -4),
  ]
  const header = (text: string) => encodeURIComponent(text)
  return [
    ...tokens.map((one) => ({ authorization: `Bearer ${header(one)}` })),
    ...tokens.map((one) => ({ authorization: `ApiKey ${header(one)}` })),
    ...tokens.map((one) => ({ authorization: header(one) })),
    ...tokens.map((one) => ({ 'x-api-key': header(one), cookie: `session=${header(one)}; a=b` })),
    basicOf(`bas:${passwords.bas}`),
    basicOf(`eve:${wrong}`),
    basicOf(`${wrong}:x`),
    basicOf(wrong),
    { authorization: `Basic ${header(wrong)}` },
    { authorization: `Basic  ${Buffer.from(wrong).toString('base64')}%` },
    { authorization: `Bearer ${access} ${secretProbe}` },
    { authorization: `${secretProbe} ${access}` },
    { authorization: `Bearer ${secretProbe.repeat(1000)}` },
  ]
}

/** Requests with secrets of which it does not matter who sends them. */
function openRequests(issued: Issued): Ask[] {
  const token = encodeURIComponent(issued.access)
  const query = `?token=${inQuery}&access_token=${token}&password=${inQuery}`
  const places = [
    '/open/static',
    '/open/none',
    '/api/x',
    '/basic/x',
    '/key/x',
    '/none',
    '/api/oauth/token',
  ]
  const upstreams = ['closed', 'hangsUp', 'mumbles', 'silent', 'failing']
  return [
    ...places.map((place) => get(place + query)),
    ...places.map((place) => get(`${place}/${inQuery}`)),
    ...places.map((place) => get(`${place}/${token}`, { accept: 'application/problem+json' })),
    ...places.map((place) => ({ ...get(place), method: 'DELETE', body: wrong })),
    get(`/open/${planted}`),
    get(`/open/failing${query}`),
    get(`/open/missing${query}`),
    get('/open/leaky'),
    get(`/open/called${query}`, {
      authorization: `Bearer ${issued.access}`,
      cookie: `a=${secretProbe}`,
    }),
    get(`/open/chosen${query}`),
    get(`/open/hosts${query}`),
    get(`/open/hosts?token=http://ada:${secretProbe}@127.0.0.1:1`),
    ...upstreams.map((name) =>
      get(`/open/${name}/${inQuery}${query}`, { authorization: `Bearer ${issued.access}` }),
    ),
    ...upstreams.map((name) => post(`/open/${name}/x`, { password: wrong, token: issued.refresh })),
    post('/open/read', { password: wrong }),
    post('/open/read', `{"password":"${secretProbe}`, { 'content-type': 'application/json' }),
    post('/open/read', `{"password":"${secretProbe}","password":1}`, {
      'content-type': 'application/json',
    }),
    post('/open/read', `${secretProbe}`, { 'content-type': 'application/json' }),
    post('/open/read', `password=${secretProbe}%ZZ`, { 'content-type': form }),
    post('/open/read', Buffer.from(`\x81\xa8password\xd9\xff${secretProbe}`, 'latin1'), {
      'content-type': 'application/msgpack',
    }),
    post('/open/read', `--x\r\n${secretProbe}`, {
      'content-type': 'multipart/form-data; boundary=x',
    }),
    post('/open/echo', wrong.repeat(100), { 'content-type': `text/${secretProbe}` }),
    get('/open/static', { accept: `application/${secretProbe}` }),
    get('/open/static', { cookie: `${secretProbe}=${'x'.repeat(20_000)}` }),
    get('/open/static', { expect: secretProbe }),
  ]
}

/** What is no request, or none that is served. */
function malformedRequests(): Ask[] {
  const lines = [
    [`GET /${secretProbe} HTTP/9.9`, 'Host: x'],
    [`${secretProbe} /x HTTP/1.1`, 'Host: x'],
    ['GET /open/static HTTP/1.1', `${secretProbe} : x`],
    [
      'GET /open/static HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${secretProbe}`,
      'Content-Length: x',
    ],
    [
      'POST /open/echo HTTP/1.1',
      'Host: x',
      'Content-Length: 1',
      'Transfer-Encoding: chunked',
      `Cookie: ${secretProbe}`,
    ],
    [`GET /open/%00${secretProbe}?%zz HTTP/1.1`, 'Host: x'],
    [
      `GET /ws?token=${secretProbe} HTTP/1.1`,
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Key: ${secretProbe}`,
    ],
    [`GET /open/static HTTP/1.1`, `Host: ${secretProbe}@x`],
  ]
  return lines.map((one) => ({ ...get('/'), raw: [...one, '', ''].join('\r\n') }))
}

/** Requests to the OAuth2 endpoints that are refused. */
function refusedForms({ access, refresh, ticket }: Issued): Ask[] {
  const right = { grant_type: 'password', username: 'ada', password: passwords.ada }
  const { authorization } = client
  const token = '/api/oauth/token'
  return [
    post(`${token}?${new URLSearchParams(right)}`, '', { 'content-type': form, ...client }),
    post(token, right, client),
    post(token, `${new URLSearchParams(right)}&password=${secretProbe}`, { 'content-type': form }),
    post(token, `password=${secretProbe}%ZZ`, { 'content-type': form }),
    post(token, `password=${secretProbe}${'x'.repeat(70_000)}`, { 'content-type': form }),
    post(token, wrong, { 'content-type': `${form}; charset=${secretProbe}` }),
    ofForm('token', right),
    ofForm('token', right, { authorization: `${authorization}%%` }),
    ofForm('token', right, basicOf(secretProbe)),
    ofForm('token', right, { authorization: `Basic ${secretProbe}` }),
    ofForm('token', right, basicOf(`app:%zz${secretProbe}`)),
    ofForm('token', { ...right, client_secret: wrong }),
    ofForm('token', { ...right, client_id: 'app', client_secret: passwords.app }, client),
    ofForm('token', right, basicOf(`eve:${encodeURIComponent(wrong)}`)),
    ofForm('token', { ...right, client_id: 'eve', client_secret: wrong }),
    ofForm('token', { ...right, grant_type: wrong }),
    ofForm('token', { grant_type: wrong }),
    ofForm('token', { grant_type: 'refresh_token', refresh_token: wrong }),
    ofForm('token', { grant_type: 'refresh_token', refresh_token: access }),
    ofForm('token', { grant_type: 'refresh_token', refresh_token: `${refresh}x` }),
    ofForm('token', { grant_type: 'refresh_token', refresh_token: refresh, client_id: wrong }),
    ofForm('token', { grant_type: 'refresh_token', refresh_token: refresh, scope: wrong }),
    ofForm('token', { grant_type: 'client_credentials', client_id: 'eve', client_secret: wrong }),
    ofForm('revoke', { token: wrong }),
    ofForm('revoke', { token: ticket, token_type_hint: wrong }),
    ofForm('revoke', { [wrong]: access }),
    ofForm('introspect', { token: access }),
    ofForm('introspect', { token: access, client_id: 'eve', client_secret: wrong }),
    get('/api/oauth/verify', { authorization: `Bearer ${access}x` }),
    get(`/api/oauth/jwks?${inQuery}`),
  ]
}

/** All that costs little, in one list. */
export function requestsWith(issued: Issued): readonly Ask[] {
  const paths = [
    '/api/x',
    '/api/failing',
    '/api/called',
    '/api/nobody',
    '/api/refused',
    '/api/raising',
    '/basic/x',
    '/key/x',
    '/own-key/x',
    '/open/static',
  ]
  return [
    ...credentials(issued).flatMap((headers) => paths.map((path) => get(path, headers))),
    ...openRequests(issued),
    ...malformedRequests(),
    ...refusedForms(issued),
    ...managementRequests(issued),
  ]
}
