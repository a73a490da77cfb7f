/** The documents of the gateways that Prometheus watches: one of which everything works, and some with a fault each. */
import { procedures, topic } from './callee.ts'

/** The realm of all of them, with users who log in by HTTP Basic. */
const realm = 'com.example.test'

/** The names of the users; the password is the name. */
export const users = Array.from({ length: 12 }, (_none, index) => `user-${index}`)

/** The document of the realm. @param info what else it declares */
export const realmDocument = (info: object = {}) => ({
  info,
  uri: realm,
  authmethods: ['anonymous', 'password', 'ticket', 'jwt'],
  security_enabled: false,
  users: users.map((username) => ({ username, password: username })),
})

const response = { on_result: {}, on_error: { status_code: 409 } }

const call = (procedure: string, more: object = {}) => ({
  get: { action: { type: 'wamp_call', procedure, args: [], kwargs: {} }, response, ...more },
})

const publish = {
  get: { action: { type: 'wamp_publish', topic, args: ['told'], kwargs: {} }, response },
}

const document = (name: string, paths: object, version: object = {}) => ({
  ...{ id: `com.example.${name}`, host: '_', realm_uri: realm },
  versions: { 1: { base_path: `/${name}`, ...version, paths } },
})

/** Everything that a gateway does, without a fault. @param host of an upstream */
export const sound = (host: string) =>
  document('sound', {
    '/call': call(procedures.work),
    '/publish': publish,
    '/forward': { get: { action: { type: 'forward', host, path: '/ok' }, response: {} } },
    // an attempt that fails is followed by one that does not
    '/retry': {
      get: { action: { type: 'forward', host, path: '/moody', retries: 2 }, response: {} },
    },
    '/kept': {
      ...{ cache: { ttl: 1 }, circuit_breaker: {} },
      ...call(procedures.work),
    },
    '/mine': call(procedures.work, { security: { type: 'basic' } }),
    '/foreign': call(procedures.work, { security: { type: 'jwt', issuer: 'main' } }),
    '/events': { get: { action: { type: 'wamp_subscribe', topic }, response: {} } },
    '/checked/:id': {
      request: { bindings: { properties: { id: { type: 'integer' } } } },
      get: { action: { type: 'static', body: 'ok' }, response },
    },
  })

/** More routes than a gateway may count apart: `/many/0` and so on. */
export const manyRoutes = (count: number) =>
  document(
    'many',
    Object.fromEntries(
      Array.from({ length: count }, (_none, index) => [
        `/${index}`,
        { get: { action: { type: 'static', body: 'ok' }, response } },
      ]),
    ),
  )

/** A document for each fault that a document can have. @param host of an upstream */
export const faulty = (host: string) => ({
  upstream: document('failing-upstream', {
    '/it': { get: { action: { type: 'forward', host, path: '/broken' }, response: {} } },
  }),
  procedure: document('failing-procedure', { '/it': call(procedures.broken) }),
  slow: document('slow', { '/it': call(procedures.slow) }),
  mismatch: document('mismatch', {
    '/it': {
      validate_responses: 'log',
      get: {
        action: { type: 'static', body: 'text' },
        response: { on_result: { schema: { type: 'integer' } }, on_error: {} },
      },
    },
  }),
  pool: document('pool', { '/it': call(procedures.brief) }, { pool_size: 1 }),
  limited: document('limited', {
    '/it': {
      rate_limit: { name: 'few', amount: 1, window: 60, per: 'all' },
      get: { action: { type: 'static', body: 'ok' }, response },
    },
  }),
  publication: document('publication', { '/it': publish }),
  user: document('user', { '/it': call(procedures.work, { security: { type: 'basic' } }) }),
})
