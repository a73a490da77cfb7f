/** Everything that issues and verifies on one node, with a clock that the test sets; and tokens as nobody should make them. */
import { CompactSign } from 'jose'
import { SecretBox } from '#component/secret-box.ts'
import { AccessTokens, type Subject } from '#component/token/access-token.ts'
import { RealmKeys } from '#component/token/keys.ts'
import { RefreshTokens } from '#component/token/refresh-token-rotation.ts'
import { Revocations } from '#component/token/revocation.ts'
import { Tickets } from '#component/token/ticket.ts'
import { TokenError } from '#component/token/token-error.ts'
import type { Suspension } from '#component/wiring/suspension.ts'
import { broadcasting } from '#component/wiring/users.ts'
import { MemoryLogins } from '#test/unit/oidc/kept/memory-logins.ts'
import { nodeOf, SetClock } from '#test/unit/replica/doubles.ts'
import type { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { MemoryFamilies } from './memory-families.ts'

export const realm_uri = 'com.example.shop'
export const otherRealm = 'com.example.other'
export const iss = 'https://shop.example.com/v1.0'

/** An owner at a client. */
export const ada: Subject = {
  authid: 'ada',
  roles: ['editors', 'readers'],
  words: ['editors', 'readers'],
  authmethod: 'oauth2',
  client_id: 'app',
  device_id: 'all',
}

/** How long what is issued lives. Seconds. */
export const ttl = 900
export const longestLifetime = 3600

interface Setup {
  readonly name?: string
  readonly clock?: SetClock
  readonly store?: MemoryStore
  readonly store_key?: string
  readonly families?: MemoryFamilies
  readonly broadcast?: () => Promise<void>
  readonly suspension?: Pick<Suspension, 'since'>
}

/** A node that has been started. */
export async function openTokens(setup: Setup = {}) {
  const { clock = new SetClock(), families = new MemoryFamilies(), name = 'a' } = setup
  const box = new SecretBox(setup.store_key ?? 'the store.key of these tests')
  const node = await nodeOf(name, { clock, ...(setup.store && { store: setup.store }) })
  const { replica } = node
  const logged: { readonly level: string; readonly fields: unknown; readonly text: unknown }[] = []
  const logAs = (level: string) => (fields: unknown, text?: unknown) =>
    void logged.push({ level, fields, text })
  const log = { info: logAs('info'), error: logAs('error') }
  const shared = broadcasting(replica, setup.broadcast)
  const kept = new MemoryLogins()
  const keys = new RealmKeys({ replica: shared, box, clock, log, longestLifetime })
  const revocations = new Revocations({
    replica: shared,
    clock,
    families,
    logins: kept,
    longestLifetime,
    accessLifetime: ttl,
  })
  keys.start()
  revocations.start()
  const ports = { keys, revocations, clock }
  const { suspension } = setup
  return {
    ...ports,
    replica,
    families,
    kept,
    box,
    logged,
    accessTokens: new AccessTokens({ ...ports, ttl }),
    tickets: new Tickets({ ...ports, node: name }),
    refreshTokens: new RefreshTokens({
      families,
      box,
      revocations,
      clock,
      ttl: 86_400,
      ...(suspension && { suspension }),
    }),
    /** Lets seconds pass. */
    pass: (seconds: number) => {
      clock.ms += seconds * 1000
    },
    /** Its time. Seconds since the epoch. */
    now: () => Math.floor(clock.now() / 1000),
  }
}

/** A node. */
export type Tokens = Awaited<ReturnType<typeof openTokens>>

const ownKinds = ['realm_key', 'revocation', 'api_key', 'oidc_user', 'id_token'] as const

/** Gives each of the nodes what the others have. */
export async function exchange(...nodes: readonly Tokens[]): Promise<void> {
  const entries = nodes.flatMap(({ replica }) => ownKinds.flatMap((kind) => replica.entries(kind)))
  for (const { replica } of nodes) await replica.merge(entries)
}

/** Why something is refused; undefined when it is not. Any other failure is passed on. */
export async function reasonOf(verify: () => unknown): Promise<string | undefined> {
  try {
    await verify()
    return undefined
  } catch (error) {
    if (error instanceof TokenError) return error.reason
    throw error
  }
}

/** Why something is refused at once, which is before any cryptography: that takes a promise. */
export function reasonAtOnce(verify: () => unknown): string | undefined {
  try {
    void verify()
    return undefined
  } catch (error) {
    if (error instanceof TokenError) return error.reason
    throw error
  }
}

/** A part of a token. */
export const encode = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

/** The header or the claims of a token. */
export const decode = (token: string, part: 0 | 1): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[part] ?? '', 'base64url').toString())

interface Changes {
  readonly header?: Readonly<Record<string, unknown>>
  readonly claims?: Readonly<Record<string, unknown>>
}

/** A token with another header or other claims (undefined takes one away), well signed by the key of the realm. */
export async function resigned(
  { keys }: Tokens,
  token: string,
  { header, claims }: Changes,
): Promise<string> {
  const { key } = await keys.signingKey(realm_uri)
  const payload = Buffer.from(JSON.stringify({ ...decode(token, 1), ...claims }))
  return new CompactSign(payload)
    .setProtectedHeader({ ...decode(token, 0), alg: 'ES256', ...header })
    .sign(key, { crit: { x: true } })
}
