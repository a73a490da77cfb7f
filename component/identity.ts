/** Who a request acts for. */

/** The keys that an identity adds to the `security` of the API Context (behaviour: Realms, OAuth2). */
export interface Identity {
  readonly realm_uri: string
  readonly authid: string
  readonly authmethod: string
  readonly authroles: readonly string[]
  readonly groups: readonly string[]
  readonly meta: Readonly<Record<string, unknown>>
}

/** The identity of a request on an open path. */
export const anonymous = (realm_uri: string): Identity => ({
  realm_uri,
  authid: 'anonymous',
  authmethod: 'anonymous',
  authroles: ['anonymous'],
  groups: [],
  meta: {},
})
