/** Why a provider is not taken for the issuer that a realm document names, in the words of its operator. */
import { isMap } from '#component/syntax/values.ts'

/** The URL without the slash at its end. */
const bare = (url: string): string => url.replace(/\/$/, '')

/**
 * What is wrong about the name that a provider gives itself; undefined for another name altogether, which is not repeated.
 * @param told by the provider
 */
export function mismatchOf(issuer: string, told: unknown): string | undefined {
  if (typeof told !== 'string' || told === issuer) return undefined
  if (bare(told) === bare(issuer)) {
    const form = told.endsWith('/') ? 'with' : 'without'
    return `the provider writes its issuer ${form} a slash at the end: write it so in the realm document`
  }
  return told.includes('{tenantid}')
    ? 'the issuer is that of all tenants of Entra ID, whose metadata say {tenantid}: name the issuer with the id of your tenant'
    : undefined
}

/** The same of an error of the library, whose causes hold what it has compared; undefined for other errors. */
export function mismatchIn(error: unknown, issuer: string): string | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { cause } = at
    if (!isMap(cause)) continue
    const { body, claims, parameters, attribute, claim } = cause
    const told = [
      attribute === 'issuer' && isMap(body) ? body.issuer : undefined,
      claim === 'iss' && isMap(claims) ? claims.iss : undefined,
      parameters instanceof URLSearchParams ? parameters.get('iss') : undefined,
    ]
    const found = told.map((one) => mismatchOf(issuer, one)).find((one) => one !== undefined)
    if (found !== undefined) return found
  }
  return undefined
}
