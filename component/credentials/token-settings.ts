/** Where an upstream's tokens come from, as its realm says: the settings that `client_credentials` and `token_exchange` have in common. */
import { type ClientKey, readClientKey } from '#component/oidc/client/client-key.ts'
import type { GrantParameters, TokenEndpoint } from '#component/oidc/client/token-grant.ts'
import {
  type ClientAuthentication,
  clientAuthentications,
} from '#component/realm/documents/info/provider-settings.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { Open } from './fixed-credentials.ts'

/** What a grant is made with, its secrets opened. */
export interface TokenSettings {
  readonly endpoint: TokenEndpoint
  readonly secrets: { readonly secret?: string; readonly key?: ClientKey }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const textsOf = (value: unknown): readonly string[] =>
  [value].flat().flatMap((one) => textOf(one) ?? [])

const authenticationOf = (value: unknown): ClientAuthentication | undefined =>
  clientAuthentications.find((one) => one === value)

/** What is asked for. */
export const parametersOf = ({ scope, audience, resource }: JsonMap): GrantParameters => ({
  scope: textOf(scope),
  audience: textsOf(audience),
  resource: textsOf(resource),
})

/**
 * The settings of `auth`; secrets and files are read each time, so that those that are replaced hold for the next token.
 * @param name of the upstream
 * @throws Error that names the key
 */
export async function tokenSettings(
  name: string,
  auth: JsonMap,
  open: Open,
): Promise<TokenSettings> {
  const read = async (key: string): Promise<string | undefined> => {
    const value = auth[key] ?? undefined
    if (value === undefined) return undefined
    const text = await open(value).catch((cause: unknown) => {
      throw new Error(`${key} cannot be read`, { cause })
    })
    if (!text) throw new Error(`${key} cannot be opened`)
    return text
  }
  const [secret, pem, ca] = [
    await read('client_secret'),
    await read('private_key'),
    await read('ca'),
  ]
  const key = pem === undefined ? undefined : await readClientKey(pem)
  return {
    endpoint: {
      name,
      token_url: textOf(auth.token_url),
      issuer: textOf(auth.issuer),
      client_id: textOf(auth.client_id) ?? '',
      client_authentication: authenticationOf(auth.client_authentication),
      ca,
    },
    secrets: { ...(secret !== undefined && { secret }), ...(key && { key }) },
  }
}
