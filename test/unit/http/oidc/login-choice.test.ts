/** The page on which a person chooses an identity provider: when it comes, what it holds, and what it never holds. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { choicesOf } from '#component/oidc/settings.ts'
import { realmsOf } from '#test/unit/oidc/settings-fixture.ts'
import { oidc, settingsWith } from './fixture.ts'

const line = 'GET /v1/oidc/login'
const choices = [
  settingsWith({ name: 'acme', title: 'Acme' }),
  settingsWith({ name: 'a/b c', title: '<b>"Other" & Sons</b>' }),
  settingsWith({ name: 'third' }),
]

/** The links of a page: `href` and text, as a browser reads them. */
const linksOf = (html: string) =>
  [...html.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].map(([, href = '', text = '']) => [
    href.replaceAll('&amp;', '&'),
    text,
  ])

describe('the page of identity providers', () => {
  it('has a link for each, with the title of the provider, else its name', async () => {
    const { status, value } = await oidc({ choices }).ask(line)
    expect(status).to.equal(200)
    expect(linksOf(String(value))).to.deep.equal([
      ['?provider=acme', 'Acme'],
      ['?provider=a%2Fb+c', '&lt;b&gt;&quot;Other&quot; &amp; Sons&lt;/b&gt;'],
      ['?provider=third', 'third'],
    ])
  })

  it('leads on with all that the page before has asked for', async () => {
    const query = 'redirect_uri=%2Fapp%3Fa%3D1%26b%3D2&client_id=web&login_hint=%22%3E%3Cscript%3E'
    const { value } = await oidc({ choices }).ask(`${line}?${query}`)
    const [[href = ''] = []] = linksOf(String(value))
    expect(Object.fromEntries(new URLSearchParams(href))).to.deep.equal({
      redirect_uri: '/app?a=1&b=2',
      client_id: 'web',
      login_hint: '"><script>',
      provider: 'acme',
    })
    expect(String(value)).to.not.include('<script')
  })

  it('does not come where the login names its provider, or there is nothing to choose', async () => {
    expect((await oidc({ choices }).ask(`${line}?provider=acme`)).status).to.equal(302)
    expect((await oidc().ask(line)).status).to.equal(302)
  })

  it('loads nothing, runs nothing, is not framed, and is not kept', async () => {
    const { headers, value } = await oidc({ choices }).ask(line)
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(String(value)) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(headers).to.include({
      'content-security-policy': `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Language, Origin',
    })
  })

  for (const [wanted, language, title] of [
    [undefined, 'en', 'Log in'],
    ['de-CH,de;q=0.9,en;q=0.5', 'de', 'Anmelden'],
    ['fr', 'fr', 'Connexion'],
    ['es-MX', 'es', 'Iniciar sesión'],
    ['ja, fr;q=0.1', 'fr', 'Connexion'],
    ['ja', 'en', 'Log in'],
  ] as const) {
    it(`speaks ${language} to a browser that wants ${wanted ?? 'nothing'}`, async () => {
      const asked = wanted === undefined ? {} : { headers: { 'accept-language': wanted } }
      const { headers, value } = await oidc({ choices }).ask(line, asked)
      expect(headers['content-language']).to.equal(language)
      expect(String(value)).to.include(`<html lang="${language}">`).and.include(`<h1>${title}</h1>`)
    })
  }

  it('says which realm it is of, what its texts say, and where people get help', async () => {
    const page = { name: 'Books & Co', text: 'Use "your" account.', support: '<help@example.com>' }
    const { value } = await oidc({ choices, page }).ask(line)
    expect(String(value))
      .to.include('<title>Log in · Books &amp; Co</title>')
      .and.include('<b>Books &amp; Co</b>')
      .and.include('<p>Use &quot;your&quot; account.</p>')
      .and.include('<p>&lt;help@example.com&gt;</p>')
    expect(linksOf(String(value))).to.have.length(3)
  })

  it('says it, too, where a login fails, and to nobody but browsers', async () => {
    const page = { name: 'Books & Co', support: 'Call us.' }
    const { ask } = oidc({ page })
    const failing = `${line}?provider=nobody`
    const { status, value } = await ask(failing, { headers: { accept: 'text/html' } })
    expect(status).to.equal(404)
    expect(String(value)).to.include('<b>Books &amp; Co</b>').and.include('<p>Call us.</p>')
    expect((await ask(failing)).value).to.deep.equal({ error: 'unknown_provider' })
  })

  it('has links of at most 3 kB, whatever the realm says: a longer query is refused', async () => {
    const long = { name: '"'.repeat(64), text: '"'.repeat(300), support: '"'.repeat(200) }
    const { ask } = oidc({ choices, page: long })
    const pageOf = (length: number) => ask(`${line}?redirect_uri=/${'x'.repeat(length)}`)
    const page = await pageOf(500)
    expect(page.status).to.equal(200)
    expect(Buffer.byteLength(String(page.value))).to.be.below(8_192)
    const { status, value } = await pageOf(4_000)
    expect([status, value]).to.deep.equal([400, { error: 'invalid_redirect_uri' }])
  })
})

describe('the providers that a person chooses from', () => {
  const entry = { issuer: 'https://id.example', client_id: 'x' }
  const namesOf = (providers: unknown, more: object = {}) =>
    choicesOf(realmsOf(providers, { login_page: true, ...more }), 'r').map(({ name }) => name)

  it('are those of a realm with a login page, in their order', () => {
    expect(namesOf({ b: entry, a: entry })).to.deep.equal(['b', 'a'])
  })

  it('are none where the realm has no login page or no oidcrp, does not exist, or has a single one', () => {
    expect(namesOf({ b: entry, a: entry }, { login_page: false })).to.deep.equal([])
    expect(namesOf({ b: entry, a: entry }, { authmethods: ['cookie'] })).to.deep.equal([])
    expect(choicesOf(realmsOf({}, { login_page: true }), 'other')).to.deep.equal([])
    expect(namesOf({ a: entry })).to.deep.equal([])
    expect(namesOf(undefined)).to.deep.equal([])
  })

  it('leave out what nobody can log in at', () => {
    expect(namesOf({ a: entry, b: {}, c: entry })).to.deep.equal(['a', 'c'])
  })
})
