/** The security that holds at one place of a document: what protects it, and what a gateway must know to keep it. */
import type { AdmittedNetworks, InheritedValues } from '#component/gateway/api.ts'
import type { BodyLimits } from '#component/request.ts'
import { demandFeature, demandOf } from '#component/security/demand.ts'
import { closed, kindOf } from '#component/security/kinds.ts'
import type { Protection } from '#component/security/scheme.ts'
import { networksOf } from '#component/syntax/ip-address.ts'
import { isMap } from '#component/syntax/values.ts'

/** Where the protection holds. */
interface ProtectedPlace extends Pick<Protection, 'api' | 'realm_uri'> {
  readonly limits: BodyLimits
}

/**
 * The protection of a path. Only a map without keys, known at load, leaves it open; any other value, however broken,
 * closes it.
 * @param value `security` as it is known at load; undefined: it is broken, or depends on the request
 */
export function protectionOf(value: unknown, place: ProtectedPlace): Protection | undefined {
  const object = isMap(value) ? value : undefined
  if (object && Object.keys(object).length === 0) return undefined
  const type = object?.type
  const { api, realm_uri, limits } = place
  const kind = kindOf(type) ?? closed
  const demand = demandOf(object)
  return { type: kind.type, kind, realm_uri, api, object: object ?? {}, demand, limits }
}

/** The networks of one list; a value that is not a list has none, and so admits no client. */
const networksIn = (value: unknown): AdmittedNetworks => {
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  return { texts, ranges: networksOf(texts) }
}

/**
 * Where requests may come from: the key `allow_from` of the place, and that of its security object; both hold.
 * @param value as it is known at load; undefined: the key is absent
 */
export function allowFromOf(
  value: unknown,
  protection: Protection | undefined,
): readonly AdmittedNetworks[] | undefined {
  const lists = [value, protection?.object.allow_from].filter((list) => list !== undefined)
  return lists.length > 0 ? lists.map(networksIn) : undefined
}

/** Notes what a gateway of an earlier version does not know of the security of a place. @returns the same values */
export function notingSecurity(values: InheritedValues, features: Set<string>): InheritedValues {
  const feature = values.protection?.kind.feature
  if (feature !== undefined) features.add(feature)
  if (values.protection?.demand) features.add(demandFeature)
  if (values.allowFrom) features.add('allow_from')
  return values
}
