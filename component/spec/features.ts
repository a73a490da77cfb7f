/** The names of what gateways of earlier versions do not know of a document, so that they do not serve it without that. */

/** What a gateway of an earlier version would leave out in silence, or not know: checks (`request`, `schema`), streams, policies, `cors`, security. */
export const features = [
  'request',
  'schema',
  'stream',
  'limits',
  'quota',
  'idempotency',
  'cors',
  'webhook',
  'allow_from',
  'forward_auth',
  'mtls',
  'provider_token',
] as const
export type Feature = (typeof features)[number]

/** Whether this gateway knows a feature. */
export const isFeature = (name: string): boolean => features.some((feature) => feature === name)
