/** Management over a registry, realms, keys and tokens of its own, for the tests of procedures. */
import { ServiceError } from '#component/errors.ts'
import { Examples } from '#component/examples/examples.ts'
import type { UserName } from '#component/identity.ts'
import { Descriptions } from '#component/openapi/descriptions.ts'
import { Logins } from '#component/realm/logins.ts'
import { ApiKeys } from '#component/token/api-key.ts'
import { RealmKeys } from '#component/token/keys.ts'
import { Revocations } from '#component/token/revocation.ts'
import { Tickets } from '#component/token/ticket.ts'
import type { Caller, Management } from '#procedures/definition/procedure.ts'
import { procedures } from '#procedures/index.ts'
import { memoryDeliveries } from '#test/unit/delivery/memory-outbox.ts'
import { examplePorts } from '#test/unit/examples/ports.ts'
import { MemoryLogins } from '#test/unit/oidc/kept/memory-logins.ts'
import { realmsWith, testBox } from '#test/unit/realm/doubles.ts'
import { registryWith } from '#test/unit/registry/doubles.ts'
import { MemoryKeyUses } from '#test/unit/token/memory-key-uses.ts'

/** Somebody who manages everything. */
export const ada: Caller = { by: 'ada', access: 'load' }

/** A procedure by its name. */
export const find = (name: string) => {
  const found = procedures.find(({ uri }) => uri === `service.${name}`)
  if (!found) throw new TypeError(name)
  return found
}

/** What procedures work on, and what became of it. */
export async function managementOf(changes: Partial<Management> = {}) {
  const { registry, logged: lines } = await registryWith()
  const { realms, replica } = await realmsWith()
  const { clock = { now: () => 1_700_000_000_000 } } = changes
  const log = { info: () => undefined, error: () => undefined }
  const ended: UserName[] = []
  const endedSubjects: string[][] = []
  const keys = new RealmKeys({ replica, box: testBox, clock, log, longestLifetime: 2_592_000 })
  keys.start()
  const families = { remove: async () => true, removeOfUser: async () => undefined }
  const logins = new MemoryLogins()
  const revocations = new Revocations({
    ...{ replica, clock, families, logins },
    longestLifetime: 2_592_000,
  })
  const apiKeys = new ApiKeys({ replica, clock, uses: new MemoryKeyUses() })
  const endUsers = async (users: readonly UserName[]) => {
    ended.push(...users)
    await revocations.revokeUsers(users)
    await apiKeys.revokeOfUsers(users)
  }
  realms.onUsersRevoked = endUsers
  const management: Management = {
    registry,
    examples: new Examples(examplePorts),
    descriptions: new Descriptions({
      addresses: () => ({ baseUrl: 'https://a.example', serverBase: 'https://a.example' }),
      yieldTurn: () => undefined,
    }),
    realms,
    logins: new Logins({ realms }),
    keys,
    forgetRealm: (uri: string) => keys.remove(uri),
    apiKeys,
    tickets: new Tickets({ keys, revocations, clock, node: 'node-1' }),
    revocations,
    clock,
    purgeCache: async () => undefined,
    quotaUsage: async () => [],
    watchRequests: async () => undefined,
    routeUse: async () => ({
      routes: ['com.example.a', 'com.example.b'].map((api) => ({ api })),
    }),
    procedures: async (api_spec) => ({ api_spec }),
    wampSessions: async () => [],
    upstreams: async (realm_uri) => ({ realm_uri }),
    deliveries: memoryDeliveries(),
    keyUses: (realm_uri) => apiKeys.lastUses(realm_uri),
    endpoints: memoryDeliveries().endpoints,
    seenTickets: async (realm_uri, authid) => ({ realm_uri, authid }),
    forgetAccount: async (user) => {
      if (user.authid !== 'bob') throw new ServiceError('service.error.not_found', 'nobody')
      await endUsers([user])
    },
    endUsers,
    endSubject: async (realm_uri, provider, sub) => {
      if (provider !== 'acme') throw new ServiceError('service.error.not_found', 'no provider')
      endedSubjects.push([realm_uri, sub])
      await revocations.endSubject(realm_uri, { issuer: 'https://acme.example', sub })
    },
    componentRealm: 'service.gateway',
    issuer: () => 'https://gateway.example',
    added: () => [],
    refusal: () => undefined,
    status: () => ({ node: 'node-1' }),
    explain: async (asked, caller) => ({ asked, caller }),
    explainEvent: async (event, api_spec, caller) => ({ event, api_spec, caller }),
    setLogLevel: (level, by) => ({ level, by }),
    ...changes,
  }
  return { management, lines, realms, keys, apiKeys, revocations, ended, endedSubjects }
}
