/** The values of inheritable keys that neither operation, path nor `defaults` set. */

/** Specification: Defaults object; behaviour: Units. Times in milliseconds. */
export const defaultValues = {
  schemes: ['http'],
  accepts: ['application/json', 'application/msgpack'],
  provides: ['application/json', 'application/msgpack'],
  headers: {},
  /** Open. */
  security: {},
  body_max_bytes: 25_000_000,
  body_read_bytes: 8_000_000,
  /** Milliseconds, in spite of the name. */
  body_read_seconds: 15_000,
  /** Stands for the configuration's `wamp.call_timeout`, which replaces it. */
  timeout: 30_000,
  connect_timeout: 8_000,
  retries: 0,
  retry_timeout: 5_000,
} as const
