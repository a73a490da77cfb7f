/** The names of what gateways of earlier versions do not know of a document, so that they do not serve it without that. */
import { securityKinds } from '#component/security/kinds.ts'

/** What a gateway of an earlier version would leave out in silence, or not know: checks (`request`, `schema`), streams, policies, `cors`. */
const own = [
  'request',
  'schema',
  'stream',
  'limits',
  'quota',
  'idempotency',
  'cors',
  'allow_from',
  'provider_token',
] as const

/** All that this gateway knows. */
export const features: readonly string[] = [
  ...own,
  ...securityKinds.flatMap(({ feature }) => feature ?? []),
]
/** The name of one. */
export type Feature = string

/** Whether this gateway knows a feature. */
export const isFeature = (name: string): boolean => features.includes(name)
