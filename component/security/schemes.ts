/** The security schemes, by the type that a document names. */
import { type ApiKeyPorts, ApiKeyScheme } from './api-key.ts'
import { type BasicPorts, BasicScheme } from './basic.ts'
import { type BearerPorts, BearerScheme } from './bearer.ts'
import { closedSchemes, type SecurityScheme, type SecurityType } from './scheme.ts'

/** Opens every type that there is a scheme for; `oidc` stays closed. */
export const openSchemes = (
  ports: ApiKeyPorts & BasicPorts & BearerPorts,
): Readonly<Record<SecurityType, SecurityScheme>> => ({
  ...closedSchemes,
  basic: new BasicScheme(ports),
  api_key: new ApiKeyScheme(ports),
  oauth2: new BearerScheme(ports),
})
