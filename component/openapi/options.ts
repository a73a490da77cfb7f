/** What the description of a version depends on besides the version itself. */

import type { DescribedVersion } from '#component/gateway/api.ts'

/** Addresses, and who reads. */
export interface DescribeOptions {
  /** Where clients reach the gateway: absolute, without a slash at the end. */
  readonly baseUrl: string
  /** The base of `servers`: as `baseUrl`, or empty for URLs that are relative to that of the description. */
  readonly serverBase: string
  /** Whether operators read it: with hidden operations, and with what lies behind each operation. */
  readonly isInternal: boolean
  /** JSON Pointers of the examples that hold, which are shown; absent: none is. */
  readonly holding?: ReadonlySet<string>
  /** What the realm of the version says of its scopes, by name. */
  readonly scopeTexts?: Readonly<Record<string, string>>
}

/** Finds what a realm says of its scopes. */
export type FindScopeTexts = (realm_uri: string) => Readonly<Record<string, string>>

/** Finds the examples of a version that hold, as JSON Pointers. */
export type FindExamples = (described: DescribedVersion) => Promise<ReadonlySet<string>>

/** An OpenAPI 3.1.1 description, as plain JSON. */
export interface OpenApi {
  readonly openapi: string
  readonly paths: Readonly<Record<string, object>>
  readonly [key: string]: unknown
}
