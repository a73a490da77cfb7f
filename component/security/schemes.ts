/** The security schemes, by the type that a document names. */
import { type ApiKeyPorts, ApiKeyScheme } from './api-key.ts'
import { type BasicPorts, BasicScheme } from './basic.ts'
import { type BearerPorts, BearerScheme } from './bearer.ts'
import { type ForwardAuthPorts, ForwardAuthScheme } from './forward-auth.ts'
import { type JwtPorts, JwtScheme } from './jwt.ts'
import { type MtlsPorts, MtlsScheme } from './mtls.ts'
import { type OidcPorts, OidcScheme } from './oidc.ts'
import type { SecurityScheme, SecurityType } from './scheme.ts'
import { type WebhookPorts, WebhookScheme } from './webhook.ts'

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
