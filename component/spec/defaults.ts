/** The values that hold where a specification sets none: inheritable keys, and the HTTP status of each WAMP error URI. */
import { bodyRules } from '#component/codec/limits.ts'

/** Of inheritable keys. Specification: Defaults object; behaviour: Units. Times in milliseconds. */
export const defaultValues = {
  schemes: ['http'],
  accepts: ['application/json', 'application/msgpack'],
  provides: ['application/json', 'application/msgpack'],
  headers: {},
  /** Open. */
  security: {},
  body_max_bytes: 25_000_000,
  /** Of one map. */
  body_max_keys: bodyRules.keys,
  /** Of multipart/form-data. */
  multipart: {
    ...{ fields: 100, files: 10, field_max_bytes: 65_536, file_max_bytes: Number.MAX_SAFE_INTEGER },
  },
  body_read_bytes: 8_000_000,
  /** Milliseconds, in spite of the name. */
  body_read_seconds: 15_000,
  validate_requests: 'enforce',
  validate_responses: 'off',
  errors: 'plain',
  /** Stands for the configuration's `wamp.call_timeout`, which replaces it. */
  timeout: 30_000,
  connect_timeout: 8_000,
  retries: 0,
  retry_timeout: 5_000,
} as const

/** Of the keys of `wamp_subscribe` that are known at load. Times in milliseconds. */
export const streamDefaults = {
  match: 'exact',
  as: 'user',
  replay_events: 100,
  replay_timeout: 60_000,
  heartbeat: 15_000,
  retry: 2_000,
  overflow: 'close',
}

/** HTTP statuses by error URI. Specification: Gateway error mapping, and the rows that behaviour adds. */
export const initialStatusCodes: Readonly<Record<string, number>> = {
  'service.error.already_exists': 400,
  'service.error.not_found': 404,
  'service.error.bad_gateway': 504,
  'service.error.circuit_open': 503,
  'service.error.no_upstream_target': 503,
  'service.error.no_upstream_token': 503,
  'service.error.upstream_unauthorized': 502,
  'service.error.http_gateway.invalid_expression': 500,
  'service.error.http_gateway.invalid_request': 400,
  'service.error.timeout': 504,
  'wamp.error.authorization_failed': 500,
  'wamp.error.canceled': 400,
  'wamp.error.close_realm': 500,
  'wamp.error.disclose_me_not_allowed': 400,
  'wamp.error.feature_not_supported': 501,
  'wamp.error.goodbye_and_out': 500,
  'wamp.error.invalid_argument': 400,
  'wamp.error.invalid_uri': 400,
  'wamp.error.net_failure': 502,
  'wamp.error.not_authorized': 403,
  'wamp.error.no_eligible_callee': 502,
  'wamp.error.no_such_procedure': 501,
  'wamp.error.no_such_realm': 502,
  'wamp.error.no_such_registration': 502,
  'wamp.error.no_such_role': 400,
  'wamp.error.no_such_session': 500,
  'wamp.error.no_such_subscription': 502,
  'wamp.error.option_disallowed_disclose_me': 400,
  'wamp.error.option_not_allowed': 400,
  'wamp.error.procedure_already_exists': 400,
  'wamp.error.system_shutdown': 500,
  'wamp.error.payload_size_exceeded': 413,
  'wamp.error.invalid_payload': 502,
  'wamp.error.timeout': 504,
}
