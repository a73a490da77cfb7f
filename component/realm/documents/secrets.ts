/** The secrets of a realm document: which values are secrets, and how they are sealed and opened. */
import { readFile } from 'node:fs/promises'
import { isDeepStrictEqual } from 'node:util'
import type { SecretBox } from '#component/secret-box.ts'
import { isMap } from '#component/syntax/values.ts'
import { type Environment, fillEnvironment, isReference } from './environment.ts'
import { at } from './membership.ts'
import type { WampCraSecret } from './password.ts'
import { newOrigins, originsAt } from './secret-origins.ts'

/** The purpose under which the secrets of one realm document are sealed. */
export const purposeOf = (realm_uri: string): string => `realm ${realm_uri}`

/** The same for those that are sent to others: identity providers, upstreams and their authorization servers. */
const sentPurposeOf = (realm_uri: string): string => `realm ${realm_uri} sent`

/** The text of a secret that is sent, as it is sealed. */
interface Sent {
  readonly text: string
  /** Where it may go, as {@link originsAt} has it. */
  readonly origins: readonly string[]
}

/** The words that the keys of secrets have. */
export const secretWords = [
  'password',
  'passphrase',
  'secret',
  'private_key',
  'api_key',
  'token',
  'credential',
] as const

/** The maps whose keys are names of maps, and a key that each of these has. */
const holders: ReadonlyMap<string | undefined, string> = new Map([
  ['jwt_issuers', 'issuer'],
  ['oidc_providers', 'issuer'],
  ['webhook_senders', 'scheme'],
  ['webhook_signers', 'scheme'],
  ['upstreams', 'targets'],
  ['scopes', 'roles'],
])

/** The maps whose keys are names that others have given: roles and claims. */
const mapsOfNames: ReadonlySet<string | undefined> = new Set(['role_mapping', 'required_claims'])

/**
 * Whether a key of a map is a name that somebody has chosen, and so does not tell whether its value is a secret: of a provider, an
 * issuer, a sender, an upstream or a scope, or of a role or claim of one.
 * @param holder the key that the map itself has
 * @param value the value of the key
 */
export function isChosenName(holder: string | undefined, value: unknown): boolean {
  const key = holders.get(holder)
  return mapsOfNames.has(holder) || (key !== undefined && isMap(value) && Object.hasOwn(value, key))
}

/** Whether a key ends in such a word, in the plural, too: its value is sealed. `token_endpoint` only begins with one. */
const isSealedKey = (key: string): boolean => {
  const singular = key.toLowerCase().replace(/s$/, '')
  return secretWords.some((word) => singular.endsWith(word))
}

/** The text of a map with this key alone, such as `{env: …}`. */
const only = (value: unknown, key: string): string | undefined => {
  if (!isMap(value) || Object.keys(value).length !== 1) return undefined
  const text = value[key]
  return typeof text === 'string' ? text : undefined
}

const isElsewhere = (value: unknown): boolean =>
  ['env', 'file', 'sealed'].some((key) => only(value, key) !== undefined)

/**
 * Opens a text that was sealed for one of the realms; undefined if it was sealed for another realm or with another key. One of
 * before secrets were sealed with their origins has none.
 */
function openAny(
  sealed: string,
  realm_uris: readonly string[],
  box: Pick<SecretBox, 'open'>,
): (Pick<Sent, 'text'> & Partial<Sent>) | undefined {
  for (const uri of realm_uris) {
    const sent = box.open(sealed, sentPurposeOf(uri))
    if (sent !== undefined) return JSON.parse(sent) as Sent
    const text = box.open(sealed, purposeOf(uri))
    if (text !== undefined) return { text }
  }
  return undefined
}

/** A place of a document: whether it is that of a secret, where that may go if it is sent, and the keys that lead there. */
interface Place {
  readonly isSecret: boolean
  readonly origins: readonly string[] | undefined
  readonly keys: readonly string[]
}

/**
 * The document with every secret sealed: `{sealed: "v1.…"}`. References to secrets, `${NAME}`, `{env: …}` or `{file: …}`,
 * stay as they are, as does `meta`, which the gateway does not read. Those that are sent are sealed with their origins.
 * @param before the stored document that is replaced: the sealed text of an unchanged secret is kept
 */
export function sealSecrets(
  document: unknown,
  before: unknown,
  realm_uri: string,
  box: Pick<SecretBox, 'seal' | 'open'>,
): unknown {
  const seal = (text: string, old: unknown, origins?: readonly string[]) => {
    const sealed = only(old, 'sealed')
    const opened = sealed === undefined ? undefined : openAny(sealed, [realm_uri], box)
    if (opened && isDeepStrictEqual(opened, { text, ...(origins && { origins }) }))
      return { sealed }
    return origins
      ? { sealed: box.seal(JSON.stringify({ text, origins }), sentPurposeOf(realm_uri)) }
      : { sealed: box.seal(text, purposeOf(realm_uri)) }
  }
  const walk = (value: unknown, old: unknown, of: Place): unknown => {
    const { isSecret, origins, keys } = of
    if (typeof value === 'string') {
      return isSecret && value !== '' && !isReference(value) ? seal(value, old, origins) : value
    }
    if (Array.isArray(value)) {
      const inner = { isSecret, origins, keys: [...keys, ''] }
      return value.map((item, index) => walk(item, Array.isArray(old) ? old[index] : {}, inner))
    }
    if (!isMap(value) || (isSecret && isElsewhere(value))) return value
    const ofMembers = originsAt(keys, value) ?? origins
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        key === 'meta'
          ? member
          : walk(member, at(old, [key]), {
              isSecret: isSecret || (!isChosenName(keys.at(-1), member) && isSealedKey(key)),
              origins: ofMembers,
              keys: [...keys, key],
            }),
      ]),
    )
  }
  return walk(document, before, { isSecret: false, origins: undefined, keys: [] })
}

/** The key and the environment by which {@link openSecret} opens a secret. */
interface Keyring {
  readonly box: Pick<SecretBox, 'open'>
  readonly environment: Environment
}

/**
 * The text of a secret that is sealed, in the clear, or referred to.
 * @param realm_uris the realm, and those that it inherits from
 * @param to where it is to be sent, as {@link originsAt} has it; absent: nowhere
 * @returns undefined for an absent variable, or a text that was sealed with another `store.key`, or for other origins
 * @throws Error when the file of a reference cannot be read
 */
export async function openSecret(
  value: unknown,
  realm_uris: readonly string[],
  { box, environment }: Keyring,
  to: readonly string[] = [],
): Promise<string | undefined> {
  const fill = (text: string) => String(fillEnvironment(text, environment, '', []))
  if (typeof value === 'string') return fill(value)
  const [name, file, sealed] = ['env', 'file', 'sealed'].map((key) => only(value, key))
  if (name !== undefined) return environment[name]
  if (file !== undefined) return (await readFile(file, 'utf8')).trimEnd()
  const opened = sealed === undefined ? undefined : openAny(sealed, realm_uris, box)
  if (opened === undefined || newOrigins(to, opened.origins ?? to).length > 0) return undefined
  return fill(opened.text)
}

/** The user whose WAMP-CRA secret it is. */
export interface SecretOwner {
  readonly realm_uri: string
  readonly username: string
}

const wampCraPurpose = ({ realm_uri, username }: SecretOwner): string =>
  `wampcra ${JSON.stringify([realm_uri, username.normalize()])}`

/** Seals a WAMP-CRA secret for its user, because it is as good as the password. */
export const sealWampCra = (
  secret: string,
  owner: SecretOwner,
  box: Pick<SecretBox, 'seal'>,
): string => box.seal(secret, wampCraPurpose(owner))

/** The key of the client's signature; undefined if it was sealed for another user, or with another `store.key`. */
export const openWampCra = (
  { secret }: WampCraSecret,
  owner: SecretOwner,
  box: Pick<SecretBox, 'open'>,
): string | undefined => box.open(secret.sealed, wampCraPurpose(owner))
