/** The security that holds at one place of a document: what protects it, and what a gateway must know to keep it. */
import type { AdmittedNetworks, InheritedValues } from '#component/gateway/api.ts'
import type { BodyLimits } from '#component/request.ts'
import { demandFeature, demandOf } from '#component/security/demand.ts'
import { closed, kindOf } from '#component/security/kinds.ts'
import { membersOf, type Protection } from '#component/security/scheme.ts'
import { severalFeature } from '#component/security/several-kind.ts'
import { networksOf } from '#component/syntax/ip-address.ts'
import { isMap } from '#component/syntax/values.ts'
import { compileAlternatives, hasAlternatives, type OfVersion } from './compile-alternatives.ts'

/** Where the protection holds. */
interface ProtectedPlace extends Pick<Protection, 'api' | 'realm_uri'> {
  readonly limits: BodyLimits
  readonly version: OfVersion
}

/**
 * The protection of a path. Only a map without keys, known at load, leaves it open; any other value, however broken,
 * closes it.
 * @param value `security` as it is known at load; undefined: it is broken, or depends on the request
 */
export function protectionOf(value: unknown, place: ProtectedPlace): Protection | undefined {
  const object = isMap(value) ? value : undefined
  if (object && Object.keys(object).length === 0) return undefined
  return object && hasAlternatives(object)
    ? compileAlternatives(object, (one) => protectedBy(one, place), place.version)
    : protectedBy(object, place)
}

/** By one security object. */
function protectedBy(value: unknown, { api, realm_uri, limits }: ProtectedPlace): Protection {
  const object = isMap(value) ? value : {}
  const kind = kindOf(object.type) ?? closed
  const demand = demandOf(object)
  return { type: kind.type, kind, realm_uri, api, object, demand, limits }
}

/** The networks of one list; a value that is not a list has none, and so admits no client. */
const networksIn = (value: unknown): AdmittedNetworks => {
  const texts = Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
  const ranges = networksOf(texts)
  return { texts, ranges }
}

/**
 * Where requests may come from: the key `allow_from` of the place, and that of its security object; both hold.
 * @param value as it is known at load; undefined: the key is absent
 */
export function allowFromOf(
  value: unknown,
  protection: Protection | undefined,
): readonly AdmittedNetworks[] | undefined {
  // each alternative has its own
  const ofObject = protection?.alternatives ? undefined : protection?.object.allow_from
  const lists = [value, ofObject].filter((list) => list !== undefined)
  return lists.length > 0 ? lists.map(networksIn) : undefined
}

/** Notes what a gateway of an earlier version does not know of the security of a place. @returns the same values */
export function notingSecurity(values: InheritedValues, features: Set<string>): InheritedValues {
  for (const { kind, demand, object } of membersOf(values.protection)) {
    if (kind.feature !== undefined) features.add(kind.feature)
    if (demand) features.add(demandFeature)
    for (const [key, name] of Object.entries(kind.keyFeatures ?? {})) {
      if (object[key] !== undefined) features.add(name)
    }
  }
  if (values.protection?.alternatives) features.add(severalFeature)
  if (values.allowFrom) features.add('allow_from')
  return values
}
