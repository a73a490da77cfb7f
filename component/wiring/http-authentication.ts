/** Authentication over HTTP: the security schemes of requests, and the endpoints where users log in and out. */
import { CheckedFetch } from '#component/action/checked-fetch.ts'
import { egressBy } from '#component/action/connections/egress.ts'
import { TokenIssuers } from '#component/compile/token-issuers.ts'
import { ServiceError } from '#component/errors.ts'
import { exampleToken } from '#component/explain/stand-ins.ts'
import type { McpKind, OAuthKind, OidcKind } from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import type { GatewayPorts } from '#component/gateway/ports.ts'
import { BackchannelLogout } from '#component/oidc/backchannel-logout.ts'
import { OidcLogin } from '#component/oidc/login.ts'
import { Providers } from '#component/oidc/providers.ts'
import { choicesOf } from '#component/oidc/settings.ts'
import type { RealmPage } from '#component/realm-page.ts'
import { Attempts } from '#component/security/attempts.ts'
import { decisionMetrics } from '#component/security/decision-metrics.ts'
import { Operators } from '#component/security/operators.ts'
import { openSchemes } from '#component/security/schemes.ts'
import { openGrants } from '#component/token/grants.ts'
import type { Remembered } from '#component/token/remembered.ts'
import { type KeptLogins, openKeptLogins } from '#component/wiring/logins/open-kept-logins.ts'
import { oauthEndpoints } from '#http/oauth/endpoints.ts'
import { ticketClearing } from '#http/oidc/cleared-ticket.ts'
import { oidcEndpoints } from '#http/oidc/endpoints.ts'
import { requestAddress } from '#http/oidc/public-address.ts'
import { cookieRenewal } from '#http/oidc/renewed-cookie.ts'
import { openAuthService } from './auth-service.ts'
import type { WiringContext } from './context.ts'

/** The authentication that the gateway and its management use. */
export interface HttpAuthentication extends Pick<GatewayPorts, 'schemes'> {
  /** The endpoints where users log in and out. */
  readonly endpoints: Pick<NonNullable<GatewayPorts['endpoints']>, OAuthKind | OidcKind | McpKind>
  /** The logins by password that are remembered. */
  readonly basic: Remembered
  /** Where a client reaches this gateway: the configured address, else that of its request; without a slash at the end. */
  baseOf(exchange: Exchange): string
  /** What pages say of a realm; undefined where it is not known. */
  pageOf(realm_uri: string): RealmPage | undefined
  /** Credentials that allow management. */
  readonly operators: Operators
  /** The schemes for requests that are explained: what fails there is not counted for the users, and limited all the same. */
  openSchemes(): GatewayPorts['schemes']
  /** The issuers whose tokens each path accepts; they follow the routing table. */
  readonly issuers: Pick<TokenIssuers, 'follow'>
  /** What is kept of logins at providers. */
  readonly keptLogins: KeptLogins
  close(): Promise<void>
}

/** Nothing is sent for a request that is explained. */
async function askNobody(): Promise<never> {
  const message = 'no other service is asked for an explanation: name the user as whom to explain'
  throw new ServiceError('service.error.unavailable', message)
}

/**
 * Makes the security schemes, and the endpoints of OAuth2 and OIDC.
 * @param issuerBase where clients reach this gateway; without a slash at the end
 */
export function openHttpAuthentication(
  context: WiringContext,
  issuerBase: () => string,
): HttpAuthentication {
  const { config, users, attempts, clock, log, logins: counts } = context
  const { accessTokens, accounts, apiKeys, box, families, keys, logins } = users
  const { foreignTokens, foreignUsers, realms, revocations, tickets } = users
  const hasPublicUrl = config.gateway.public_base_url !== undefined
  const baseOf = (exchange: Exchange): string =>
    hasPublicUrl ? issuerBase() : requestAddress(exchange)
  const issuers = new TokenIssuers(config.gateway.public_base_url?.replace(/\/$/, ''))
  const ports = {
    ...{ accessTokens, accounts, apiKeys, box, clock, issuers, logins, realms, tickets },
    ...{ foreignTokens, foreignUsers },
  }
  const egress = egressBy(config.egress)
  const outside = new CheckedFetch({ clock, egress })
  const authService = openAuthService(outside)
  const providers = new Providers({ clock, log, realms, fetch: outside.fetch.bind(outside) })
  const { sessionCounts } = users
  const pageOf = (realm_uri: string) => realms.realm(realm_uri)?.page
  const keptLogins = openKeptLogins(context, providers)
  const { keptTokens, providerTokens, rechecks } = keptLogins
  const renewedCookie = cookieRenewal({ clock, log, tickets })
  const { seenTickets: seen, ticketUses: uses } = users
  const counted = { attempts, counts, providerTokens, rechecks, seen, uses }
  const { allow_origin } = config.gateway.cors
  const alternatives = {
    clearedCookies: ticketClearing(realms),
    hasLoginPage: (realm_uri: string) => choicesOf(realms, realm_uri).length > 0,
    corsOrigins: [allow_origin].flat().filter((origin) => origin !== '*'),
  }
  const decisions = decisionMetrics(context.families)
  const schemes = openSchemes({
    ...{ ...ports, ...counted, authService, renewedCookie },
    alternatives: { ...alternatives, decisions },
  })
  const login = new OidcLogin({
    ...{ accounts, box, clock, counts, log, logins, providers, realms, revocations, tickets },
    idTokens: users.idTokens,
    keptTokens,
  })
  return {
    ...{ schemes, issuers, baseOf, keptLogins, pageOf, basic: schemes.basic },
    openSchemes: () =>
      openSchemes({
        ...ports,
        alternatives,
        attempts: new Attempts(config.rate_limits),
        providerTokens: {
          of: (claims) => (providerTokens.isPassed(claims) ? exampleToken : undefined),
        },
        authService: { ...authService, ask: askNobody },
      }),
    endpoints: {
      ...oauthEndpoints({
        ...{ accessTokens, attempts, counts, families, issuerBase, keys, logins, realms },
        ...{ baseOf, revocations },
        bearer: schemes.oauth2,
        grants: openGrants(users),
        refreshTokens: users.refreshTokens,
      }),
      ...oidcEndpoints({
        ...{ box, clock, issuerBase, log, login, pageOf, tickets },
        sessionCounts,
        backchannelLogout: new BackchannelLogout({ providers, revocations, log }),
        pageOrigins: config.gateway.ws_allowed_origins,
        hasPublicUrl,
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
