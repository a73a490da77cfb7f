/** Where the secrets that a realm sends may go: the origins that the settings beside them name, and what a load may not send elsewhere. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import { hasReferences } from './environment.ts'
import { at, maps } from './membership.ts'

/** A map in `info` whose entries have secrets that are sent. */
interface Senders {
  /** The addresses that the settings of an entry name. */
  addressesOf(entry: unknown): readonly unknown[]
  /** The keys that lead to secrets that it is sent, or that sign what it is sent. */
  readonly secrets: readonly (readonly string[])[]
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const senders = {
  // the provider itself says where its endpoints are
  oidc_providers: {
    addressesOf: (entry) => ['issuer', 'internal_issuer_url'].map((key) => at(entry, [key])),
    secrets: [['client_secret'], ['private_key']],
  },
  upstreams: {
    addressesOf: (entry) => [
      ...maps(at(entry, ['targets'])).map(({ url }) => url),
      ...['token_url', 'issuer'].map((key) => at(entry, ['auth', key])),
      ...[['proxy'], ['proxy', 'url']].map((keys) => at(entry, keys)),
    ],
    secrets: [
      ...['secret', 'password', 'client_secret', 'private_key'].map((key) => ['auth', key]),
      ['tls', 'private_key'],
      ['proxy', 'password'],
    ],
  },
  webhook_signers: {
    addressesOf: (entry) => listed(at(entry, ['origins'])),
    secrets: [['secret'], ['secrets']],
  },
} as const satisfies Readonly<Record<string, Senders>>

/** The key of such a map. */
export type SendersKey = keyof typeof senders

const isSenders = (key: string | undefined): key is SendersKey =>
  key !== undefined && Object.hasOwn(senders, key)

function originOf(address: unknown): readonly string[] {
  if (typeof address !== 'string') return []
  if (hasReferences(address)) return [address]
  const url = URL.parse(address)
  if (url === null) return []
  // of a socket, too, which has a path and no origin
  return [url.origin === 'null' ? address : url.origin]
}

/**
 * The origins that the settings of an entry name, sorted. An address with `${NAME}` counts as it is written: whoever may edit the
 * document does not set the environment, which may differ from node to node.
 * @param entry as its document has it, the environment not filled in
 */
export const originsOf = (key: SendersKey, entry: unknown): readonly string[] =>
  [...new Set(senders[key].addressesOf(entry).flatMap(originOf))].sort()

/** The origins of the secrets in a map of a realm document; undefined: they are not sent. @param keys those that lead to the map */
export function originsAt(keys: readonly string[], value: unknown): readonly string[] | undefined {
  const [first, key] = keys
  const isEntry = keys.length === 3 && first === 'info' && isSenders(key)
  return isEntry ? originsOf(key, value) : undefined
}

/** The origins among these that others do not have. */
export const newOrigins = (origins: readonly string[], others: readonly string[]) =>
  origins.filter((one) => !others.includes(one))

/** The document of a load, without its masks; the same with what it keeps of the stored one; and that. All as written. */
type Documents = Readonly<Record<'loaded' | 'whole' | 'stored', unknown>>

/**
 * The secrets that a load keeps and would send to an address that its author did not give them for: else somebody who may edit a
 * realm, and not read its secrets, has them sent to himself.
 */
export const movedSecrets = (documents: Documents, path: string): readonly Issue[] =>
  Object.keys(senders)
    .filter(isSenders)
    .flatMap((key) => movedIn(key, documents, path))

function movedIn(
  key: SendersKey,
  { loaded, whole, stored }: Documents,
  path: string,
): readonly Issue[] {
  const entries = at(whole, ['info', key])
  if (!isMap(entries)) return []
  return Object.entries(entries).flatMap(([name, entry]) => {
    const place = ['info', key, name]
    const former = originsOf(key, at(stored, place))
    const added = newOrigins(originsOf(key, entry), former)
    if (added.length === 0) return []
    const given = former.length === 0 ? 'no address' : former.join(', ')
    const message = `the stored secret was given for ${given}: name it again to have it sent to ${added.join(', ')}, or null to remove it`
    const isKept = (secret: readonly string[]) =>
      at(entry, secret) !== undefined && at(loaded, [...place, ...secret]) === undefined
    return senders[key].secrets
      .filter(isKept)
      .map((secret) => ({ path: pointer(path, ...place, ...secret), message }))
  })
}
