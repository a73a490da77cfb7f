/** The security schemes, by the type that a document names. */

import { type AlternativesPorts, AlternativesScheme } from './alternatives/authenticate.ts'
import { type ApiKeyPorts, ApiKeyScheme } from './api-key/authenticate.ts'
import { type BasicPorts, BasicScheme } from './basic/authenticate.ts'
import type { Brought } from './brought.ts'
import { type ForwardAuthPorts, ForwardAuthScheme } from './forward-auth/authenticate.ts'
import { type JwtPorts, JwtScheme } from './jwt/authenticate.ts'
import type { SecurityType } from './kinds.ts'
import { type MtlsPorts, MtlsScheme } from './mtls/authenticate.ts'
import { type BearerPorts, BearerScheme } from './oauth2/authenticate.ts'
import { type OidcPorts, OidcScheme } from './oidc/authenticate.ts'
import type {
  AlternativeScheme,
  Alternatives,
  Protection,
  Schemes,
  SecurityScheme,
} from './scheme.ts'
import { severalType } from './several-kind.ts'
import { type WebhookPorts, WebhookScheme } from './webhook/authenticate.ts'

/** The scheme of several alternatives, and what it needs. */
interface SeveralPorts {
  readonly alternatives?: AlternativesPorts
}

/**
 * The schemes, and the one of alternatives.
 * @param isBrought whether a request is to bring the credentials of a member, whatever it has
 */
export function withAlternatives(
  schemes: Readonly<Record<string, SecurityScheme>>,
  isBrought: (alternatives: Alternatives, member: Protection) => boolean,
): Schemes {
  const schemeFor = ({ alternatives }: Protection): AlternativesScheme => {
    if (alternatives === undefined) throw new TypeError('the protection has no alternatives')
    const those = Object.entries(schemes).map(([type, scheme]) => [
      type,
      {
        ...scheme,
        isBrought: (_brought: Brought, one: Protection) => isBrought(alternatives, one),
      },
    ])
    return new AlternativesScheme(Object.fromEntries(those))
  }
  const several: SecurityScheme = {
    authenticate: (request, protection) => schemeFor(protection).authenticate(request, protection),
    told: (request, protection) => schemeFor(protection).told(request, protection),
  }
  return { ...schemes, [severalType]: several }
}

/** Opens every type that there is a scheme for. */
export const openSchemes = (
  ports: ApiKeyPorts &
    BasicPorts &
    BearerPorts &
    ForwardAuthPorts &
    JwtPorts &
    MtlsPorts &
    OidcPorts &
    WebhookPorts &
    SeveralPorts,
) => {
  const schemes = {
    basic: new BasicScheme(ports),
    api_key: new ApiKeyScheme(ports),
    oauth2: new BearerScheme(ports),
    oidc: new OidcScheme(ports),
    webhook: new WebhookScheme(ports),
    jwt: new JwtScheme(ports),
    forward_auth: new ForwardAuthScheme(ports),
    mtls: new MtlsScheme(ports),
  } satisfies Readonly<Record<SecurityType, AlternativeScheme>>
  return { ...schemes, [severalType]: new AlternativesScheme(schemes, ports.alternatives) }
}
