/** How users come in over HTTP: what proves who a request is, and the endpoints where they log in and out. */

import { CheckedFetch } from '#component/action/checked-fetch.ts'
import type { Clock } from '#component/clock.ts'
import { TokenIssuers } from '#component/compile/token-issuers.ts'
import type { Config } from '#component/config/config.ts'
import type { GatewayPorts } from '#component/gateway/handle.ts'
import type { Log } from '#component/log.ts'
import { OidcLogin } from '#component/oidc/login.ts'
import { Providers } from '#component/oidc/provider.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { Attempts } from '#component/security/attempts.ts'
import { Operators } from '#component/security/operators.ts'
import { openSchemes } from '#component/security/schemes.ts'
import type { Store } from '#component/store/database.ts'
import { openGrants } from '#component/token/grants.ts'
import { oauthEndpoints } from '#http/oauth/endpoints.ts'
import { oidcEndpoints } from '#http/oidc/endpoints.ts'
import type { Users } from './users.ts'

interface HttpAuthenticationPorts {
  readonly config: Config
  readonly users: Users
  readonly attempts: Attempts
  readonly families: Store['families']
  readonly box: SecretBox
  readonly clock: Clock
  readonly log: Log
  /** Where clients reach this gateway; without a slash at the end. */
  readonly issuerBase: () => string
}

/** What the gateway and its management need for it. */
export interface HttpAuthentication extends Pick<GatewayPorts, 'schemes' | 'endpoints'> {
  /** Who may manage by credentials. */
  readonly operators: Operators
  /** Whose tokens the paths take: they go by what is served. */
  readonly issuers: Pick<TokenIssuers, 'follow'>
  close(): Promise<void>
}

export function openHttpAuthentication(ports: HttpAuthenticationPorts): HttpAuthentication {
  const { config, users, attempts, families, box, clock, log, issuerBase } = ports
  const { accessTokens, accounts, apiKeys, keys, logins, realms, revocations, tickets } = users
  const issuers = new TokenIssuers(config.gateway.public_base_url?.replace(/\/$/, ''))
  const schemes = openSchemes({
    ...{ accessTokens, accounts, apiKeys, attempts, box, issuers, logins, tickets },
  })
  const outside = new CheckedFetch({ clock })
  const login = new OidcLogin({
    ...{ accounts, box, clock, log, logins, realms, revocations, tickets },
    idTokens: users.idTokens,
    providers: new Providers({ clock, log, realms, fetch: outside.fetch.bind(outside) }),
  })
  return {
    ...{ schemes, issuers },
    endpoints: {
      ...oauthEndpoints({
        ...{ accessTokens, attempts, families, issuerBase, keys, logins, revocations },
        bearer: schemes.oauth2,
        grants: openGrants(users),
        refreshTokens: users.refreshTokens,
      }),
      ...oidcEndpoints({
        ...{ box, issuerBase, log, login, tickets },
        pageOrigins: config.gateway.ws_allowed_origins,
        hasPublicUrl: config.gateway.public_base_url !== undefined,
      }),
    },
    operators: new Operators({
      ...{ accessTokens, apiKeys, logins },
      adminRealm: config.admin.realm,
      componentRealm: config.wamp.realm,
    }),
    close: () => outside.close(),
  }
}
