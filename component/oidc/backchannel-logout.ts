/** Logouts that a provider orders (OpenID Connect Back-Channel Logout 1.0): the tickets of its session, or of its subject, end on all nodes. */
import type { Log } from '#component/log.ts'
import type { Revocations } from '#component/token/revocation.ts'
import { LogoutTokenError } from './logout-token.ts'
import type { Providers } from './providers.ts'

/** The dependencies of {@link BackchannelLogout}. */
export interface BackchannelLogoutPorts {
  readonly providers: Pick<Providers, 'get'>
  readonly revocations: Pick<Revocations, 'endLogins'>
  readonly log: Pick<Log, 'info'>
}

/** Carries out logout tokens. */
export class BackchannelLogout {
  readonly #ports: BackchannelLogoutPorts

  constructor(ports: BackchannelLogoutPorts) {
    this.#ports = ports
  }

  /**
   * Ends the tickets that the token names; there may be none.
   * @throws LogoutTokenError when the token is refused, or was carried out before; OidcError unknown_provider,
   *   provider_unavailable; ServiceError `service.error.unavailable`: then the token may come again
   */
  async end(realm_uri: string, name: string, token: string): Promise<void> {
    const { providers, revocations, log } = this.#ports
    const provider = await providers.get(realm_uri, name)
    const order = await provider.logoutOrder(token)
    if (!(await revocations.endLogins(realm_uri, order, order))) {
      throw new LogoutTokenError('the logout token has come before')
    }
    const scope = order.sid === undefined ? 'subject' : 'session'
    log.info({ realm_uri, provider: name, scope }, 'a provider has ended logins')
  }
}
