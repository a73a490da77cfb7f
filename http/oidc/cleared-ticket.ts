/** The cookies of a ticket that does not hold, taken from a browser that may go on without. */
import { settingsOf } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { AlternativesPorts } from '#component/security/alternatives/authenticate.ts'
import { providerOf } from '#component/security/oidc/kind.ts'
import { clearedTicketCookies, cookieDomain } from './cookies.ts'

type Realms = Parameters<typeof settingsOf>[0]

/** The settings of the provider; undefined where it is gone: then its cookies are those of the host. */
function knownSettings(realms: Realms, realm_uri: string, provider: string) {
  try {
    return settingsOf(realms, realm_uri, provider)
  } catch (error) {
    if (error instanceof OidcError) return undefined
    throw error
  }
}

/** Makes the fields. */
export const ticketClearing =
  (realms: Realms): NonNullable<AlternativesPorts['clearedCookies']> =>
  (request, { realm_uri, object }) => {
    const settings = knownSettings(realms, realm_uri, providerOf(object))
    const { host = '' } = request
    const domain = cookieDomain(host, settings?.cookie_domain)
    const field = request.header('cookie')
    return clearedTicketCookies(realm_uri, { host, field, domain }, settings)
  }
