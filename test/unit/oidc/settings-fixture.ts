/** Realms that are there to have providers, for the tests of OIDC. */
import type { Realm } from '#component/realm/documents/model.ts'

/** A realm that says of itself what a test wants. */
const realmWith = (more: Partial<Realm>): Realm => ({
  uri: 'r',
  authmethods: ['oidcrp'],
  allow_connections: true,
  isPrototype: false,
  users: new Map(),
  disabled: new Set(),
  sources: undefined,
  isUnrestricted: true,
  grants: [],
  scopes: new Map(),
  login_page: false,
  page: { name: 'r' },
  info: {},
  ...more,
})

/** One realm, `r`, with these providers. */
export const realmsOf = (oidc_providers: unknown, more: Partial<Realm> = {}) => {
  const realm = realmWith({ info: { oidc_providers }, ...more })
  return {
    realm: (uri: string) => (uri === 'r' ? realm : undefined),
    secretOrigins: () => [],
    openSecret: async (_uri: string, value: unknown) =>
      typeof value === 'string' ? value : undefined,
  }
}
