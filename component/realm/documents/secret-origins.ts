/** Where the secrets of an identity provider may go: the origins that its settings name, and what a load may not send elsewhere. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import { hasReferences } from './environment.ts'
import { at } from './membership.ts'

/** The settings of a provider that name an address of it. The provider itself says where its endpoints are. */
const addresses = ['issuer', 'internal_issuer_url'] as const

/** The settings that it is sent, or that sign what it is sent. */
const secrets = ['client_secret', 'private_key'] as const

/** The map of providers in a realm document. */
export const providersAt = ['info', 'oidc_providers'] as const

/**
 * The origins that the settings of a provider name, sorted. An address with `${NAME}` counts as it is written: whoever may edit the
 * document does not set the environment, which may differ from node to node.
 * @param provider as its document has it, the environment not filled in
 */
export function originsOf(provider: unknown): readonly string[] {
  const found = addresses.flatMap((key) => {
    const url = at(provider, [key])
    if (typeof url !== 'string') return []
    return hasReferences(url) ? url : (URL.parse(url)?.origin ?? [])
  })
  return [...new Set(found)].sort()
}

/** The origins among these that others do not have. */
export const newOrigins = (origins: readonly string[], others: readonly string[]) =>
  origins.filter((one) => !others.includes(one))

/**
 * The secrets that a load keeps and would send to an address that its author did not give them for: else somebody who may edit a
 * realm, and not read its secrets, has them sent to himself.
 * @param loaded the document of the load, without its masks
 * @param whole the same with what it keeps of the stored one
 * @param stored the document that is replaced; all three as written
 */
export function movedSecrets(
  { loaded, whole, stored }: Readonly<Record<'loaded' | 'whole' | 'stored', unknown>>,
  path: string,
): readonly Issue[] {
  const providers = at(whole, providersAt)
  if (!isMap(providers)) return []
  return Object.entries(providers).flatMap(([name, provider]) => {
    const place = [...providersAt, name]
    const former = originsOf(at(stored, place))
    const added = newOrigins(originsOf(provider), former)
    if (added.length === 0) return []
    const given = former.length === 0 ? 'no address' : former.join(', ')
    const message = `the stored secret was given for ${given}: name it again to have it sent to ${added.join(', ')}, or null to remove it`
    const isKept = (key: string) =>
      at(provider, [key]) !== undefined && at(loaded, [...place, key]) === undefined
    return secrets.filter(isKept).map((key) => ({ path: pointer(path, ...place, key), message }))
  })
}
