/** A policy for routers of tests, written by hand: everybody is anonymous and may do everything. */
import type { RealmPolicy } from '#component/router/ports.ts'

/** @param realms the realms that are open */
export const openPolicy = (realms: readonly string[]): RealmPolicy => ({
  hasRealm: (realm) => realms.includes(realm),
  authmethods: () => ['anonymous'],
  authenticate: async () => ({
    kind: 'welcome',
    authid: 'anonymous',
    authroles: ['anonymous'],
  }),
  isWelcome: () => true,
  isAllowed: () => true,
})
