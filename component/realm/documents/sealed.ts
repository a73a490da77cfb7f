/** Secrets of a realm document that must be read again, such as those of OIDC providers: sealed on the way into the store. */
import { readFile } from 'node:fs/promises'
import type { SecretBox } from '#component/secret-box.ts'
import { isMap } from '#component/syntax/values.ts'
import { type Environment, fillEnvironment, isReference } from './environment.ts'
import { at } from './membership.ts'
import { isChosenName } from './provider-rules.ts'

/** The purpose under which all secrets of one realm document are sealed. */
export const purposeOf = (realm_uri: string): string => `realm ${realm_uri}`

/** How keys of secrets end, in the plural, too; what only begins so, such as `token_endpoint`, is none. */
const endings = [
  'password',
  'passphrase',
  'secret',
  'private_key',
  'api_key',
  'token',
  'credential',
] as const

const isSecretKey = (key: string): boolean => {
  const one = key.toLowerCase().replace(/s$/, '')
  return endings.some((ending) => one.endsWith(ending))
}

const isSecretIn = (holder: string | undefined, key: string, value: unknown): boolean =>
  !isChosenName(holder, value) && isSecretKey(key)

/** The one text under the one key of an object: `{env: …}`. */
const only = (value: unknown, key: string): string | undefined => {
  if (!isMap(value) || Object.keys(value).length !== 1) return undefined
  const text = value[key]
  return typeof text === 'string' ? text : undefined
}

const isElsewhere = (value: unknown): boolean =>
  ['env', 'file', 'sealed'].some((key) => only(value, key) !== undefined)

/** Opens a text that was sealed for one of the realms; undefined when for none. */
function openAny(sealed: string, realm_uris: readonly string[], box: Pick<SecretBox, 'open'>) {
  for (const uri of realm_uris) {
    const opened = box.open(sealed, purposeOf(uri))
    if (opened !== undefined) return opened
  }
  return undefined
}

/**
 * The document with every secret sealed: `{sealed: "v1.…"}`. What says only where a secret is, `${NAME}`, `{env: …}` or
 * `{file: …}`, stays as it is; so does `meta`, which belongs to whoever reads it.
 * @param before what is stored in its place: secrets that are the same stay sealed as they are
 */
export function sealSecrets(
  document: unknown,
  before: unknown,
  realm_uri: string,
  box: Pick<SecretBox, 'seal' | 'open'>,
): unknown {
  const seal = (text: string, old: unknown) => {
    const sealed = only(old, 'sealed')
    const isSame = sealed !== undefined && openAny(sealed, [realm_uri], box) === text
    return { sealed: isSame ? sealed : box.seal(text, purposeOf(realm_uri)) }
  }
  const walk = (value: unknown, old: unknown, isSecret: boolean, holder?: string): unknown => {
    if (typeof value === 'string') {
      return isSecret && value !== '' && !isReference(value) ? seal(value, old) : value
    }
    if (Array.isArray(value)) {
      return value.map((item, index) => walk(item, Array.isArray(old) ? old[index] : {}, isSecret))
    }
    if (!isMap(value) || (isSecret && isElsewhere(value))) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [
        key,
        key === 'meta'
          ? member
          : walk(member, at(old, [key]), isSecret || isSecretIn(holder, key, member), key),
      ]),
    )
  }
  return walk(document, before, false)
}

/** What a secret is opened with. */
interface Keyring {
  readonly box: Pick<SecretBox, 'open'>
  readonly environment: Environment
}

/**
 * The text of a secret: sealed, in the clear as earlier versions stored it, or where it says that it is.
 * @param realm_uris the realm, and those that it inherits from
 * @returns undefined when there is none, or it was sealed with another `store.key`
 * @throws Error when the file that it names cannot be read
 */
export async function openSecret(
  value: unknown,
  realm_uris: readonly string[],
  { box, environment }: Keyring,
): Promise<string | undefined> {
  const fill = (text: string) => String(fillEnvironment(text, environment, '', []))
  if (typeof value === 'string') return fill(value)
  const [name, file, sealed] = ['env', 'file', 'sealed'].map((key) => only(value, key))
  if (name !== undefined) return environment[name]
  if (file !== undefined) return (await readFile(file, 'utf8')).trimEnd()
  const opened = sealed === undefined ? undefined : openAny(sealed, realm_uris, box)
  return opened === undefined ? undefined : fill(opened)
}
