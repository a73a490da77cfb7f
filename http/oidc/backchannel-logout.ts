/** POST `<base_path>/oidc/<provider>/backchannel_logout`: a provider ends logins (OpenID Connect Back-Channel Logout 1.0 §2.5). */
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import { decide, type Rate } from '#component/limits/gcra.ts'
import type { BackchannelLogout } from '#component/oidc/backchannel-logout.ts'
import type { OidcLogin } from '#component/oidc/login.ts'
import { LogoutTokenError } from '#component/oidc/logout-token.ts'
import type { SessionCounts } from '#component/oidc/session-counts.ts'
import { OidcError } from '#component/oidc-error.ts'
import { readForm } from '#http/oauth/form-endpoint.ts'

/** Dependencies of the endpoint. */
export interface BackchannelLogoutPorts {
  readonly login: Pick<OidcLogin, 'settings'>
  readonly backchannelLogout: Pick<BackchannelLogout, 'end'>
  readonly sessionCounts: Pick<SessionCounts, 'logouts'>
  readonly clock: Pick<Clock, 'now'>
}

/** What one provider may send; providers send again what was not accepted. */
const rate: Rate = { amount: 100, windowMs: 1_000, burst: 100 }

/** The limit of each provider of each realm, in this process. */
class Limits {
  readonly #clock: Pick<Clock, 'now'>
  /** Theoretical arrival times, by realm and provider: as many as realms have providers. */
  readonly #arrivals = new Map<string, number>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  admits(realm_uri: string, provider: string): boolean {
    const key = `${realm_uri} ${provider}`
    const { isAllowed, next } = decide(this.#arrivals.get(key), this.#clock.now(), 1, rate)
    if (isAllowed) this.#arrivals.set(key, next)
    return isAllowed
  }
}

/** RFC 6749 §5.2, as Back-Channel Logout §2.8 has it: it does not say why. */
const refusal = (status: number, error: string): Pick<Reply, 'status' | 'headers' | 'body'> => ({
  status,
  headers: {},
  body: { kind: 'value', value: { error }, type: 'application/json' },
})

async function tokenOf(exchange: Exchange): Promise<string> {
  const { logout_token } = await readForm(exchange)
  return logout_token ?? refuse()
}

function refuse(): never {
  throw new LogoutTokenError('logout_token is missing')
}

/** Answers 200 without a body; 400 for a token that is refused, with the reason in the log; 429 above 100 a second. */
export function backchannelLogoutEndpoint(ports: BackchannelLogoutPorts): EndpointHandler {
  const limits = new Limits(ports.clock)
  const { logouts } = ports.sessionCounts
  return async (exchange, { realm_uri: realm }, { provider = '' }) => {
    try {
      ports.login.settings(realm, provider)
      if (!limits.admits(realm, provider)) {
        logouts.limited += 1
        const headers = { 'Retry-After': '1' }
        const message = `a provider may send ${rate.amount} logout tokens a second`
        throw new ServiceError('service.error.too_many_requests', message, { headers })
      }
      await ports.backchannelLogout.end(realm, provider, await tokenOf(exchange))
      logouts.ok += 1
      return { status: 200, headers: {}, body: { kind: 'none' } }
    } catch (error) {
      // a form that is malformed
      const isBadForm = error instanceof ServiceError && error.status === 400
      if (error instanceof LogoutTokenError || isBadForm) {
        logouts.refused += 1
        const failure = { error: 'invalid_request', reason: error.message, realm }
        return { ...refusal(400, 'invalid_request'), failure }
      }
      if (error instanceof OidcError) {
        const { status, code, message: reason, answer } = error
        if (status >= 500) logouts.failed += 1
        return { ...refusal(status, code), failure: { error: code, reason, realm, ...answer } }
      }
      if (error instanceof ServiceError && error.status >= 500) logouts.failed += 1
      throw error
    }
  }
}
