/** The security schemes, by the type that a document names. */

import { type ApiKeyPorts, ApiKeyScheme } from './api-key/authenticate.ts'
import { type BasicPorts, BasicScheme } from './basic/authenticate.ts'
import { type ForwardAuthPorts, ForwardAuthScheme } from './forward-auth/authenticate.ts'
import { type JwtPorts, JwtScheme } from './jwt/authenticate.ts'
import type { SecurityType } from './kinds.ts'
import { type MtlsPorts, MtlsScheme } from './mtls/authenticate.ts'
import { type BearerPorts, BearerScheme } from './oauth2/authenticate.ts'
import { type OidcPorts, OidcScheme } from './oidc/authenticate.ts'
import type { SecurityScheme } from './scheme.ts'
import { type WebhookPorts, WebhookScheme } from './webhook/authenticate.ts'

/** Opens every type that there is a scheme for. */
export const openSchemes = (
  ports: ApiKeyPorts &
    BasicPorts &
    BearerPorts &
    ForwardAuthPorts &
    JwtPorts &
    MtlsPorts &
    OidcPorts &
    WebhookPorts,
) =>
  ({
    basic: new BasicScheme(ports),
    api_key: new ApiKeyScheme(ports),
    oauth2: new BearerScheme(ports),
    oidc: new OidcScheme(ports),
    webhook: new WebhookScheme(ports),
    jwt: new JwtScheme(ports),
    forward_auth: new ForwardAuthScheme(ports),
    mtls: new MtlsScheme(ports),
  }) satisfies Readonly<Record<SecurityType, SecurityScheme>>
