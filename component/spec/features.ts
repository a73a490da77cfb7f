/** The names of what gateways of earlier versions do not know of a document, so that they do not serve it without that. */
import { policyKinds } from '#component/policies/kinds.ts'
import { demandFeature } from '#component/security/demand.ts'
import { securityKinds } from '#component/security/kinds.ts'
import { severalFeature } from '#component/security/several-kind.ts'

/** What a gateway of an earlier version would leave out in silence, or not know: checks (`request`, `schema`), streams, WebSockets, `cors`, bodies that are streamed. */
const own = [
  'request',
  'schema',
  'stream',
  'cors',
  'allow_from',
  'provider_token',
  'websocket',
  'body_stream',
  'escaped_slashes',
  'final_slash',
  'procedures',
  'deliveries',
  demandFeature,
  severalFeature,
] as const

/** All that this gateway knows. */
export const features: readonly string[] = [
  ...own,
  ...policyKinds.flatMap(({ feature }) => feature ?? []),
  ...securityKinds.flatMap(({ feature }) => feature ?? []),
  ...securityKinds.flatMap(({ keyFeatures = {} }) => Object.values(keyFeatures)),
]
/** Whether this gateway knows a feature. */
export const isFeature = (name: string): boolean => features.includes(name)
