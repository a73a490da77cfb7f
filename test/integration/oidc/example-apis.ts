/** Realms whose users log in at a provider of the test, an API for each, and a browser that visits whole gateways. */
import { expect } from 'chai'
import type { TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, type HttpRequest, send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { client_id, client_secret, type FakeProvider } from '#test/unit/oidc/fake-provider.ts'

/** What all realms here call their provider. */
const name = 'mock'

/** A realm of users by a provider, and where its API is. */
export interface Shop {
  readonly realm_uri: string
  readonly base: string
}

/** The settings of a provider in a realm. */
export const providerOf = ({ issuer }: Pick<FakeProvider, 'issuer'>, settings: object = {}) => ({
  ...{ issuer, client_id, client_secret, allow_unsafe_http: true, ...settings },
})

/** @param more members of the document that differ */
export const realmOf = ({ realm_uri: uri }: Shop, entry: object, more: object = {}) => ({
  uri,
  authmethods: ['oidcrp', 'cookie', 'ticket'],
  info: { oidc_providers: { [name]: entry } },
  ...more,
})

const response = { on_result: {}, on_error: {} }
const me = { action: { type: 'static', body: '{{security.authid}}' }, response }

/** `/me` says who asks. */
export const documentOf = ({ realm_uri, base }: Shop) => ({
  ...{ id: realm_uri, host: '_', realm_uri },
  defaults: { security: { type: 'oidc', provider: name } },
  versions: { one: { base_path: base, paths: { '/me': { get: me, post: me } } } },
})

/** Declares a realm at a gateway, or declares it anew. */
export async function declare({ adminUrl }: TestGateway, realm: object): Promise<void> {
  const { status, text } = await send(adminUrl, '/realms', { method: 'POST', body: realm })
  expect(status, text).to.be.oneOf([200, 201])
}

/** Declares a realm at the first gateway and loads its API; resolves when all serve both. */
export async function openShop(
  gateways: readonly [TestGateway, ...TestGateway[]],
  shop: Shop,
  realm: object,
): Promise<void> {
  const [first] = gateways
  await declare(first, realm)
  const { status, body } = await first.load(documentOf(shop))
  expect(status, JSON.stringify(body)).to.equal(201)
  for (const { url, adminUrl } of gateways) {
    await until('the realm and the API are there', async () => {
      const { text } = await send(adminUrl, '/realms')
      const { status: found } = await send(url, `${shop.base}/me`)
      return text.includes(shop.realm_uri) && found === 401
    })
  }
}

/** Loads the API of a shop with more paths. */
export async function loadPaths(gateway: TestGateway, shop: Shop, more: object): Promise<void> {
  const { versions, ...document } = documentOf(shop)
  const { one } = versions
  const paths = { ...one.paths, ...more }
  const { status, body } = await gateway.load({ ...document, versions: { one: { ...one, paths } } })
  expect(status, JSON.stringify(body)).to.be.within(200, 201)
}

/** What a login of the user ada is, while it lasts. */
interface Login {
  readonly gateway: TestGateway
  readonly provider: FakeProvider
  readonly browser: Browser
}

/** What ends a login at a shop, by what the user does or what happens to the user. */
export const loginEnds = (
  shop: Shop,
): Readonly<Record<string, (login: Login) => Promise<unknown>>> => ({
  'logs out': ({ browser, gateway }) => browser.visit(gateway.url, `${shop.base}/oidc/logout`),
  'is disabled': ({ gateway, provider }) => {
    const users = [{ username: 'ada', enabled: false }]
    return declare(gateway, realmOf(shop, providerOf(provider), { users }))
  },
  'is revoked': ({ gateway }) =>
    send(gateway.adminUrl, `/realms/${shop.realm_uri}/users/ada/revoke_all`, {
      ...{ method: 'POST', body: {} },
    }),
})

/** An answer, and the redirect and the cookies in it. */
export interface Visit extends HttpAnswer {
  readonly location: string
  /** Set-Cookie, one line each. */
  readonly set: readonly string[]
}

/** Keeps cookies by name, whichever gateway set them: for a browser they all have one host. */
export class Browser {
  readonly cookies = new Map<string, string>()

  /** The Cookie field. */
  get field(): string {
    return Array.from(this.cookies, ([cookie, value]) => `${cookie}=${value}`).join('; ')
  }

  /** Another browser with the cookies that this one has now. */
  copy(): Browser {
    const copy = new Browser()
    for (const [cookie, value] of this.cookies) copy.cookies.set(cookie, value)
    return copy
  }

  async visit(base: string, target: string, request: HttpRequest = {}): Promise<Visit> {
    const headers = { ...(this.cookies.size > 0 && { cookie: this.field }), ...request.headers }
    const answer = await send(base, target, { ...request, headers })
    const set = answer.headers['set-cookie'] ?? []
    for (const line of set) {
      const [, cookie = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (line.includes('Max-Age=0;')) this.cookies.delete(cookie)
      else this.cookies.set(cookie, value)
    }
    return { ...answer, set, location: answer.headers.location ?? '' }
  }

  /** What `/me` answers to this browser. */
  async status({ url }: Pick<TestGateway, 'url'>, { base }: Shop, more?: HttpRequest) {
    return (await this.visit(url, `${base}/me`, more)).status
  }

  /** Logs in at the provider. @returns path and query of the callback */
  async begin(base: string, shop: Shop, provider: FakeProvider, query = ''): Promise<string> {
    const { status, location, text } = await this.visit(base, `${shop.base}/oidc/login${query}`)
    expect(status, text).to.equal(302)
    const { pathname, search } = new URL(provider.authorize(location))
    return pathname + search
  }

  /** All of a login. @param more such as the host that the browser asks for */
  async logIn(
    base: string,
    shop: Shop,
    provider: FakeProvider,
    { query = '', ...more }: HttpRequest & { readonly query?: string } = {},
  ): Promise<Visit> {
    const back = await this.visit(base, await this.begin(base, shop, provider, query), more)
    expect(back.status, back.text).to.equal(302)
    return back
  }

  /** The ticket of a realm. */
  ticketOf({ realm_uri }: Shop): string {
    return this.cookies.get(`service_ticket_${realm_uri}`) ?? ''
  }

  csrfOf({ realm_uri }: Shop): string {
    return this.cookies.get(`service_csrf_${realm_uri}`) ?? ''
  }
}

/** A provider sends a logout token. */
export const endSession = (base: string, shop: Shop, token: string): Promise<HttpAnswer> =>
  send(base, `${shop.base}/oidc/${name}/backchannel_logout`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `logout_token=${token}`,
  })

/** Status and code of an OIDC endpoint's refusal. */
export const refusalOf = ({ status, text }: HttpAnswer): readonly [number, unknown] => [
  status,
  JSON.parse(text),
]
