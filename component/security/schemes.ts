/** The security schemes, by the type that a document names. */

import {
  type AlternativesPorts,
  AlternativesScheme,
  alternativesOf,
} from './alternatives/authenticate.ts'
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
  Alternative,
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
 * @param chosen the alternative that a request is to bring, whatever it has; undefined: none
 * @param refuse throws where the request is to be refused without a judgement
 */
export function withAlternatives(
  schemes: Readonly<Record<string, SecurityScheme>>,
  chosen: (alternatives: Alternatives) => Alternative | undefined,
  refuse: (alternatives: Alternatives) => void,
): Schemes {
  const schemeFor = (alternatives: Alternatives): AlternativesScheme => {
    const one = chosen(alternatives)
    const isBrought = (_brought: Brought, member: Protection): boolean =>
      one?.members.includes(member) === true
    const those = Object.entries(schemes).map(([type, scheme]) => [type, { ...scheme, isBrought }])
    return new AlternativesScheme(Object.fromEntries(those))
  }
  const several: SecurityScheme = {
    authenticate(request, protection) {
      const alternatives = alternativesOf(protection)
      refuse(alternatives)
      return schemeFor(alternatives).authenticate(request, protection)
    },
    told: (request, protection) => schemeFor(alternativesOf(protection)).told(request, protection),
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
