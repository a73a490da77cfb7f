/** Realms over a replica in memory, for the tests of realms. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidSpecError } from '#component/errors.ts'
import { Policy, type PolicyPorts } from '#component/realm/policy.ts'
import { Realms, type RealmsPorts } from '#component/realm/realms.ts'
import { Replica } from '#component/replica/replica.ts'
import type { RealmPolicy } from '#component/router/ports.ts'
import { SecretBox } from '#component/secret-box.ts'
import { Attempts } from '#component/security/attempts.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'

/** A real security configuration file of this family of gateways. */
export const securityConfig = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../cases/realms/security-config.json'), 'utf8'),
) as readonly Readonly<Record<string, unknown>>[]

/** What secrets are sealed with. */
export const testBox = new SecretBox('a store key of the tests')

/** What a policy checks proofs with, with the limits of a gateway that is not told otherwise. */
export const proofPorts = () => ({
  attempts: new Attempts({ user_failures: 20, address_failures: 100 }),
  secrets: testBox,
})

/** Started realms, and what they are kept in. */
export async function realmsWith(
  environment: Readonly<Record<string, string>> = {},
  store = new MemoryStore(),
  more: Partial<RealmsPorts> = {},
) {
  const logged: unknown[][] = []
  const log = {
    info: (...line: unknown[]) => void logged.push(line),
    warn: (...line: unknown[]) => void logged.push(line),
    error: (...line: unknown[]) => void logged.push(line),
  }
  const replica = new Replica({ store, clock: { now: () => 1_000 }, node: 'n1', log })
  await replica.start()
  const realms = new Realms({
    ...{ replica, log, environment, box: testBox },
    wampCraRounds: 1_000,
    ...more,
  })
  realms.start()
  return { realms, replica, store, logged }
}

/** Where a load was refused, and why; undefined: it was not. */
export async function refusals(
  { realms }: Awaited<ReturnType<typeof realmsWith>>,
  document: unknown,
) {
  try {
    await realms.load(document)
    return undefined
  } catch (error) {
    if (error instanceof InvalidSpecError) return error.issues
    throw error
  }
}

/** The policy of realms, as the router sees it. */
export const policyOver = (
  realms: Realms,
  admitsStrangers = true,
  more: Partial<PolicyPorts> = {},
): Policy =>
  new Policy({
    realms,
    clock: { now: () => 1_000 },
    componentRealm: 'service.gateway',
    admitsStrangers: () => admitsStrangers,
    ...proofPorts(),
    ...more,
  })

/** The policy of these realm documents, as the router sees it. */
export async function policyOf(documents: unknown, admitsStrangers = true): Promise<RealmPolicy> {
  const { realms } = await realmsWith()
  await realms.load(documents)
  return policyOver(realms, admitsStrangers)
}
