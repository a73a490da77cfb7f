/** The OIDC endpoints behind a gateway, with doubles of what knows logins and tickets. */

import type { OidcKind } from '#component/gateway/api.ts'
import { csrfOf } from '#component/oidc/csrf.ts'
import type { RememberedLogin } from '#component/oidc/login-state.ts'
import type {
  BegunLogin,
  CallbackRequest,
  FinishedLogin,
  LoggedOut,
  LoginRequest,
  LogoutRequest,
} from '#component/oidc/redirects.ts'
import { SessionCounts } from '#component/oidc/session-counts.ts'
import { type ProviderSettings, settingsOf } from '#component/oidc/settings.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { RealmPage } from '#component/realm-page.ts'
import { SecretBox } from '#component/secret-box.ts'
import type { TicketClaims } from '#component/token/ticket.ts'
import { TokenError } from '#component/token/token-error.ts'
import { oidcEndpoints } from '#http/oidc/endpoints.ts'
import { type Ask, bodyOf, documentOf, serve } from '#test/unit/gateway/fake-exchange.ts'
import { realmsOf } from '#test/unit/oidc/settings-fixture.ts'

export const realm_uri = 'com.example.realm'
export const otherRealm = 'com.example.other'
const box = new SecretBox('a store key of the tests')

export const settingsWith = (more: Partial<ProviderSettings> = {}): ProviderSettings => ({
  ...settingsOf(
    realmsOf({ acme: { issuer: 'https://id.example', client_id: 'web' } }),
    'r',
    'acme',
  ),
  ...more,
})

const claimsOf = (realm: string, more: Partial<TicketClaims> = {}): TicketClaims => ({
  ...{ iss: 'https://api.example/v1', sub: 'ada', aud: realm, exp: 2_000, iat: 1_000 },
  ...{ jti: `id of ${realm}`, id: `id of ${realm}`, authrealm: realm, authid: 'ada' },
  ...{ authmethod: 'oidcrp', authroles: ['staff'], issued_by: 'ada', issued_on: 'n1' },
  ...{ issued_at: 1_000, expires_at: 2_000, kid: 'k1', oidc_provider: 'acme' },
  scope: { realm, client_id: 'all', device_id: 'all' },
  ...more,
})

/** The ticket and the CSRF value of a realm, as a browser sends them. */
export const csrfIn = (realm: string): string => csrfOf(box, realm, `id of ${realm}`)
export const cookieField = (realm: string, csrf: string): string =>
  `service_ticket_${realm}=ticket.of.${realm}; service_csrf_${realm}=${csrf}`

const loginName = '__Host-service_login_0123456789abcdef'

/** What is not ordinary about the endpoints. */
interface More {
  readonly security?: object
  readonly version?: object
  readonly realm?: string
  readonly settings?: Partial<ProviderSettings>
  readonly pageOrigins?: readonly string[]
  readonly begin?: (request: LoginRequest) => BegunLogin
  readonly finish?: Partial<FinishedLogin> | OidcError
  readonly logout?: (request: LogoutRequest) => LoggedOut
  readonly remembered?: RememberedLogin
  readonly choices?: readonly ProviderSettings[]
  /** What pages say of each realm. */
  readonly page?: RealmPage
  /** Why a logout token is not carried out. */
  readonly end?: Error
  /** The address of the gateway, and whether the configuration says it. */
  readonly base?: string
  readonly hasPublicUrl?: boolean
  readonly host?: string
}

/** Opens the endpoints under /v1; two realms have the provider `acme`, and the route names it. */
export function oidc(more: More = {}) {
  const begun: LoginRequest[] = []
  const finished: CallbackRequest[] = []
  const loggedOut: LogoutRequest[] = []
  const logged: unknown[] = []
  const ended: string[][] = []
  let now = 0
  const own = settingsWith(more.settings)
  const settings = (realm: string, name: string) => {
    const isThere = [realm_uri, otherRealm, more.realm].includes(realm) && name === 'acme'
    if (!isThere) throw new OidcError('unknown_provider', 'there is none')
    return own
  }
  const table = oidcEndpoints({
    pageOrigins: more.pageOrigins ?? ['https://app.example'],
    log: { warn: (...line: unknown[]) => void logged.push(line) },
    issuerBase: () => more.base ?? 'https://api.example',
    hasPublicUrl: more.hasPublicUrl ?? true,
    pageOf: () => more.page,
    box,
    clock: { now: () => now },
    sessionCounts: new SessionCounts(),
    backchannelLogout: {
      async end(realm, provider, token) {
        ended.push([realm, provider, token])
        if (more.end) throw more.end
      },
    },
    tickets: {
      verifyIgnoringExpiry(ticket, realm) {
        if (ticket !== `ticket.of.${realm}`) throw new TokenError('the ticket is malformed')
        return Promise.resolve(claimsOf(realm))
      },
    },
    login: {
      settings,
      choices: () => more.choices ?? [],
      async begin(request) {
        begun.push(request)
        const cookies = [{ name: loginName, value: 'v1.sealed' }]
        const location = 'https://id.example/authorize?x=1'
        return more.begin?.(request) ?? { location, cookies, settings: own }
      },
      async finish(request) {
        finished.push(request)
        if (more.finish instanceof OidcError) throw more.finish
        return {
          ...{ redirect_uri: '/home', ticket: 'a.new.ticket', claims: claimsOf(realm_uri) },
          ...{ csrf: 'uuid.mac', maxAge: 2_592_000, settings: own },
          loginCookies: [{ name: loginName, value: '' }],
          ...more.finish,
        }
      },
      publicKeys: async (realm, name) => {
        settings(realm, name)
        return { keys: [{ kid: 'k1' }] }
      },
      remembered: () => more.remembered,
      async logout(request) {
        loggedOut.push(request)
        return more.logout?.(request) ?? { location: request.redirect_uri, settings: own }
      },
    },
  })
  const security = { type: 'oidc', provider: 'acme', ...more.security }
  const plain = documentOf({}, { defaults: { security } }, more.version)
  const document = more.host === undefined ? plain : { ...plain, host: more.host }
  const whole = more.realm === undefined ? document : { ...document, realm_uri: more.realm }
  const { ask } = serve(whole, undefined, (exchange, endpoint, bindings) =>
    table[endpoint.kind as OidcKind](exchange, endpoint, bindings),
  )
  return {
    ...{ begun, finished, loggedOut, logged, ended },
    /** Milliseconds. */
    setNow: (ms: number) => {
      now = ms
    },
    async ask(line: string, asked?: Ask) {
      const reply = await ask(line, { host: 'app.api.example', ...asked })
      if (reply.failure) logged.push(reply.failure)
      const cookies = reply.headers['set-cookie'] ?? []
      return { ...reply, value: bodyOf(reply), cookies: [cookies].flat() as readonly string[] }
    },
  }
}
