/** Realms over rows in memory, for the tests of realms. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Policy } from '#component/realm/policy.ts'
import { Realms } from '#component/realm/realms.ts'
import type { RealmPolicy } from '#component/router/ports.ts'
import type { RealmEntry } from '#component/store/realm-store.ts'

/** A real security configuration file of this family of gateways. */
export const securityConfig = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../cases/realms/security-config.json'), 'utf8'),
) as readonly Readonly<Record<string, unknown>>[]

/** Realms, and the rows they are kept in. */
export function realmsWith(
  environment: Readonly<Record<string, string>> = {},
  rows = new Map<string, RealmEntry>(),
) {
  const realms = new Realms({
    store: {
      put: async (entries) => {
        for (const entry of entries) rows.set(entry.uri, entry)
      },
      all: async () => [...rows.values()],
    },
    clock: { now: () => 1_000 },
    node: 'n1',
    log: { info: () => undefined },
    environment,
  })
  return { realms, rows }
}

/** The policy of these realm documents, as the router sees it. */
export async function policyOf(documents: unknown, admitsStrangers = true): Promise<RealmPolicy> {
  const { realms } = realmsWith()
  await realms.load(documents)
  return new Policy({
    realms,
    clock: { now: () => 1_000 },
    componentRealm: 'service.gateway',
    admitsStrangers: () => admitsStrangers,
  })
}
