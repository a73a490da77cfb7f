/** The protection of an operation as security schemes of OpenAPI. */
import type { Method } from '#component/request.ts'
import type { Protection } from '#component/security/scheme.ts'
import type { NamedParts } from './named-parts.ts'

/** Alternatives; each names the schemes that a request needs together. */
export type Requirements = readonly Readonly<Record<string, readonly string[]>>[]

/** The header of a secret, in lower case; undefined for schemes that have none of their own. */
export const secretHeaderOf = ({ kind, object }: Protection): string | undefined =>
  kind.secretHeader?.(object)

/**
 * @param address of the version: absolute, without a slash at the end
 * @param schemes receives the schemes
 */
export function requirementsOf(
  { kind, object, realm_uri }: Protection,
  method: Method,
  address: string,
  schemes: NamedParts,
): Requirements {
  const description =
    typeof object.description === 'string' ? { description: object.description } : {}
  return kind
    .describe(object, { method, address, realm_uri })
    .map((uses) =>
      Object.fromEntries(
        uses.map(({ name, scheme, scopes = [] }) => [
          schemes.nameOf(name, { ...scheme, ...description }),
          scopes,
        ]),
      ),
    )
}
