/** The security that holds at one place of a document: what protects it, and what a gateway must know to keep it. */
import type { Feature, InheritedValues } from '#component/gateway/api.ts'
import type { BodyLimits } from '#component/request.ts'
import { isSecurityType, type Protection } from '#component/security/scheme.ts'
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
  const known = isSecurityType(type) ? type : 'oauth2'
  return { type: known, realm_uri, api, object: object ?? {}, limits }
}

/** Notes what a gateway of an earlier version does not know of the security of a place. @returns the same values */
export function notingSecurity(values: InheritedValues, features: Set<Feature>): InheritedValues {
  if (values.protection?.type === 'webhook') features.add('webhook')
  return values
}
