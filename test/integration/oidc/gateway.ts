/** A gateway on a node on which users log in, and a browser that keeps cookies and follows what it is told. */
import type { OidcKind } from '#component/gateway/api.ts'
import { openSchemes } from '#component/security/schemes.ts'
import { oidcEndpoints } from '#http/oidc/endpoints.ts'
import { type Ask, bodyOf, documentOf, fixed, serve } from '#test/unit/gateway/fake-exchange.ts'
import type { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import type { LoginNode } from '#test/unit/oidc/login-fixture.ts'
import { anyIssuer, FakeAttempts, noIssuers, noLogins } from '#test/unit/security/doubles.ts'

const page = 'text/html,*/*;q=0.8'
export const base = 'https://shop.example.com'

/** The gateway as it is wired on a node, for a document of the realm. */
export function gatewayOf(node: LoginNode, realm: string) {
  const { login, tickets, accounts, logins, box, accessTokens, clock } = node
  const { sessionCounts, backchannelLogout } = node
  const apiKeys = { find: () => undefined }
  const schemes = openSchemes({
    ...noLogins,
    ...{ tickets, accounts, logins, box, accessTokens, apiKeys },
    attempts: new FakeAttempts(),
    ...noIssuers,
    issuers: anyIssuer,
  })
  const log = { info: () => {}, warn: () => {} }
  const pageOf = () => undefined
  const endpoints = oidcEndpoints({
    ...{ login, tickets, box, log, pageOrigins: [], issuerBase: () => base, hasPublicUrl: true },
    ...{ clock, pageOf, sessionCounts, backchannelLogout },
  })
  const security = { type: 'oidc', provider: 'mock' }
  const me = { get: fixed('{{security.authid}}'), post: fixed('{{security.authroles}}') }
  const claims = { get: fixed('{{security.claims}}') }
  const partners = { ...me, security: { type: 'oidc', provider: 'partners' } }
  const paths = { '/me': me, '/partners': partners, '/claims': claims }
  const document = { ...documentOf(paths, { defaults: { security } }), realm_uri: realm }
  return serve(
    document,
    undefined,
    (exchange, endpoint, bindings) =>
      endpoints[endpoint.kind as OidcKind](exchange, endpoint, bindings),
    schemes,
  )
}

/** Keeps cookies, and sends them. */
export class Browser {
  readonly cookies = new Map<string, string>()
  /** The domain that each was set for: one of another domain is another cookie (RFC 6265 §5.3). */
  readonly #domains = new Map<string, string>()
  readonly #gateway: ReturnType<typeof gatewayOf>

  constructor(gateway: ReturnType<typeof gatewayOf>) {
    this.#gateway = gateway
  }

  /** @param more a body, and what else is not ordinary about the request */
  async ask(line: string, headers: Readonly<Record<string, string>> = {}, more: Ask = {}) {
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const sent = { ...headers, ...(cookie && { cookie }) }
    const reply = await this.#gateway.ask(line, {
      ...{ headers: sent, host: 'shop.example.com' },
      ...more,
    })
    for (const text of [reply.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      const [, domain = ''] = /; Domain=([^;]+)/.exec(text) ?? []
      if (!text.includes('Max-Age=0;')) {
        this.cookies.set(name, value)
        this.#domains.set(name, domain)
      } else if (this.#domains.get(name) === domain) this.cookies.delete(name)
    }
    return { ...reply, value: bodyOf(reply), location: String(reply.headers.location) }
  }

  /** A URL of the gateway, as a line. */
  get(url: string) {
    const { pathname, search } = new URL(url, base)
    return this.ask(`GET ${pathname}${search}`, { accept: page })
  }

  /** As a script of a page asks for it. */
  read(url: string) {
    const { pathname, search } = new URL(url, base)
    return this.ask(`GET ${pathname}${search}`)
  }

  /** From a page that needs a login to the callback's URL. */
  async begin(provider: FakeProvider, at = '/v1/me'): Promise<string> {
    const { location: login } = await this.get(at)
    const { location } = await this.get(login)
    return provider.authorize(location)
  }

  async logIn(provider: FakeProvider): Promise<void> {
    await this.get(await this.begin(provider))
  }
}
