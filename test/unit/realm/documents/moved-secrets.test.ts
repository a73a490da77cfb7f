/** Secrets of identity providers go where their author sent them: a load that keeps them names no new address, and they are sealed with the old ones. */
import { expect } from 'chai'
import { originsOf } from '#component/realm/documents/secret-origins.ts'
import { purposeOf } from '#component/realm/documents/secrets.ts'
import { realmsWith, refusals, testBox } from '#test/unit/realm/doubles.ts'

const uri = 'com.example.realm'
const variable = (name: string) => `$${'{'}${name}}`
const environment = { ISSUER: 'https://id.example.com', EVIL: 'https://evil.example' }
const place = '/info/oidc_providers/main'

const provider = {
  issuer: 'https://id.example.com/realms/a',
  client_id: 'shop',
  client_secret: 'sssh',
  private_key: { file: '/etc/key.pem' },
}
const realmOf = (main: object, more: object = {}) => ({
  uri,
  info: { oidc_providers: { main, ...more } },
})
const bare = { client_id: 'shop' }
const inside = 'https://inside.example:8443/a'
const evil = 'https://evil.example'

type Opened = Awaited<ReturnType<typeof realmsWith>>

const secretIn = ({ realms }: Opened) => {
  const info = realms.realm(uri)?.info as { oidc_providers: Record<string, typeof provider> }
  return info.oidc_providers.main?.client_secret
}

describe('a load that keeps the secrets of a provider', () => {
  const both = ['client_secret', 'private_key'].map((key) => `${place}/${key}`)

  for (const [what, before, main, places] of [
    ['a new issuer', {}, { ...bare, issuer: evil }, both],
    ['a host below the old one', {}, { ...bare, issuer: 'https://a.id.example.com' }, both],
    ['another port', {}, { ...bare, issuer: 'https://id.example.com:444' }, both],
    ['http', {}, { ...bare, issuer: 'http://id.example.com', allow_unsafe_http: true }, both],
    [
      'a new internal address',
      {},
      { ...bare, issuer: provider.issuer, internal_issuer_url: evil },
      both,
    ],
    [
      'another internal address',
      { internal_issuer_url: inside },
      { ...bare, issuer: provider.issuer, internal_issuer_url: evil },
      both,
    ],
    ['an issuer where there was none', { issuer: undefined }, { ...bare, issuer: evil }, both],
    ['an issuer that was no URL', { issuer: 'none' }, { ...bare, issuer: evil }, both],
    ['an issuer of the environment', {}, { ...bare, issuer: variable('EVIL') }, both],
    [
      'another variable',
      { issuer: variable('ISSUER') },
      { ...bare, issuer: variable('EVIL') },
      both,
    ],
    ['a masked secret', {}, { ...bare, issuer: evil, client_secret: '[masked]' }, both],
    [
      'one of two secrets',
      {},
      { ...bare, issuer: evil, client_secret: 'new' },
      [`${place}/private_key`],
    ],
    [
      'a reference in the secret',
      { client_secret: { env: 'ISSUER' } },
      { ...bare, issuer: evil },
      both,
    ],
  ] as const) {
    it(`is refused with ${what}, and changes nothing`, async () => {
      const opened = await realmsWith(environment)
      await opened.realms.load(realmOf({ ...provider, ...before }))
      const stored = opened.replica.get('realm', uri)
      const issues = await refusals(opened, realmOf(main))
      expect(issues?.map(({ path }) => path)).to.have.members(places)
      expect(issues?.[0]?.message).to.match(/^the stored secret was given for .*: name it again/)
      expect(opened.replica.get('realm', uri)).to.deep.equal(stored)
    })
  }

  for (const [what, before, main] of [
    ['the same origin at another path', {}, { ...bare, issuer: 'https://id.example.com/b' }],
    ['the default port', {}, { ...bare, issuer: 'https://id.example.com:443/' }],
    [
      'one of its two addresses',
      { internal_issuer_url: inside },
      { ...bare, issuer: provider.issuer },
    ],
    [
      'the addresses exchanged',
      { internal_issuer_url: inside },
      { ...bare, issuer: inside, internal_issuer_url: provider.issuer },
    ],
    [
      'the variable of before',
      { issuer: variable('ISSUER') },
      { ...bare, issuer: variable('ISSUER') },
    ],
  ] as const) {
    it(`is taken with ${what}, and the secret opens`, async () => {
      const opened = await realmsWith(environment)
      await opened.realms.load(realmOf({ ...provider, ...before }))
      expect(await refusals(opened, realmOf(main))).to.equal(undefined)
      const to = opened.realms.secretOrigins(uri, 'oidc_providers', 'main')
      expect(await opened.realms.openSecret(uri, secretIn(opened), to)).to.equal('sssh')
    })
  }

  for (const [what, main] of [
    ['named again', { ...provider, issuer: evil }],
    ['new', { ...bare, issuer: evil, client_secret: 'new', private_key: null }],
    ['removed', { ...bare, issuer: evil, client_secret: null, private_key: null }],
  ] as const) {
    it(`may have a new issuer with secrets that are ${what}`, async () => {
      const opened = await realmsWith(environment)
      await opened.realms.load(realmOf(provider))
      expect(await refusals(opened, realmOf(main))).to.equal(undefined)
      const to = opened.realms.secretOrigins(uri, 'oidc_providers', 'main')
      expect(to).to.deep.equal([evil])
      const { client_secret } = main
      const opens = await opened.realms.openSecret(uri, secretIn(opened), to)
      expect(opens ?? null).to.equal(client_secret)
    })
  }

  it('keeps those of the other providers, and gives a provider of another name none', async () => {
    const opened = await realmsWith(environment)
    await opened.realms.load(realmOf(provider, { other: { ...provider, issuer: inside } }))
    const moved = realmOf({ ...provider, issuer: evil }, { other: { ...bare, issuer: inside } })
    expect(await refusals(opened, moved)).to.equal(undefined)
    const renamed = { uri, info: { oidc_providers: { next: { ...bare, issuer: evil } } } }
    expect(await refusals(opened, renamed)).to.equal(undefined)
    expect(opened.realms.get(uri)).to.have.nested.property('info.oidc_providers.next')
    const { info } = opened.realms.realm(uri) ?? {}
    expect(info?.oidc_providers).to.deep.equal({ next: { ...bare, issuer: evil } })
  })

  it('is refused in a list of documents at its place', async () => {
    const opened = await realmsWith(environment)
    await opened.realms.load(realmOf(provider))
    const issues = await refusals(opened, [{ uri: 'com.a' }, realmOf({ ...bare, issuer: evil })])
    expect(issues?.map(({ path }) => path)).to.have.members(both.map((path) => `/1${path}`))
  })

  it('is not needed to restore a version: its secrets and addresses are of one author', async () => {
    const opened = await realmsWith(environment)
    const [first] = await opened.realms.load(realmOf(provider))
    await opened.realms.load(realmOf({ ...provider, issuer: evil, client_secret: 'of evil' }))
    await opened.realms.rollback(uri, String(first?.hash))
    const to = opened.realms.secretOrigins(uri, 'oidc_providers', 'main')
    expect(to).to.deep.equal(['https://id.example.com'])
    expect(await opened.realms.openSecret(uri, secretIn(opened), to)).to.equal('sssh')
  })
})

describe('a sealed secret of a provider', () => {
  for (const [what, to, opens] of [
    ['the issuer', [originsOf('oidc_providers', provider)[0] ?? ''], true],
    ['nowhere', undefined, true],
    ['another origin', [evil], false],
    ['the issuer and another origin', ['https://id.example.com', evil], false],
  ] as const) {
    it(`${opens ? 'opens' : 'does not open'} to be sent to ${what}`, async () => {
      const opened = await realmsWith()
      await opened.realms.load(realmOf(provider))
      const found = await opened.realms.openSecret(uri, secretIn(opened), to)
      expect(found).to.equal(opens ? 'sssh' : undefined)
    })
  }

  it('that was sealed without origins opens, until a load names it again', async () => {
    const opened = await realmsWith()
    const sealed = { sealed: testBox.seal('sssh', purposeOf(uri)) }
    expect(await opened.realms.openSecret(uri, sealed, [evil])).to.equal('sssh')
    await opened.realms.load(realmOf({ ...provider, client_secret: sealed }))
    expect(secretIn(opened)).to.deep.equal(sealed)
    await opened.realms.load(realmOf(provider))
    expect(await opened.realms.openSecret(uri, secretIn(opened), [evil])).to.equal(undefined)
  })
})
