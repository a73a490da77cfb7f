/** Secrets of upstreams go where their author sent them: a load or an edit that keeps them names no new target, token endpoint or proxy. */
import { expect } from 'chai'
import { originsOf } from '#component/realm/documents/secret-origins.ts'
import { realmsWith, refusals } from '#test/unit/realm/doubles.ts'

const uri = 'com.example.realm'
const evil = 'https://evil.example'
const place = '/info/upstreams/billing'

type Opened = Awaited<ReturnType<typeof realmsWith>>
type Json = Readonly<Record<string, unknown>>

const target = (url: string) => ({ url })
const one = target('http://10.0.0.5:8080')
const two = target('http://10.0.0.6:8080')

const client = {
  type: 'client_credentials',
  token_url: 'https://id.example.com/token',
  client_id: 'gw',
}
const withClient = { targets: [one, two], auth: { ...client, client_secret: 'sssh-client' } }
const field = { type: 'header', name: 'x-api-key' }
const withField = { targets: [one, two], auth: { ...field, secret: 'sssh-field' } }

const realmOf = (billing: Json, more: Json = {}) => ({
  uri,
  info: { upstreams: { billing, ...more } },
})

/** The secret of the auth of an upstream, as the realm has it, opened for where it goes. */
async function opened({ realms }: Opened, key: string, name = 'billing') {
  const info = realms.realm(uri)?.info as { upstreams: Record<string, { auth: Json }> }
  const to = realms.secretOrigins(uri, 'upstreams', name)
  return realms.openSecret(uri, info.upstreams[name]?.auth[key], to)
}

describe('a load that keeps the secret of an upstream', () => {
  const refused: readonly (readonly [string, Json, Json, string])[] = [
    ['another target', withField, { targets: [target(evil)], auth: field }, `${place}/auth/secret`],
    [
      'one more target',
      withField,
      { targets: [one, two, target(evil)], auth: field },
      `${place}/auth/secret`,
    ],
    [
      'a target at another port',
      withField,
      { targets: [target('http://10.0.0.5:8081')], auth: field },
      `${place}/auth/secret`,
    ],
    [
      'a target by https',
      withField,
      { targets: [target('https://10.0.0.5:8080')], auth: field },
      `${place}/auth/secret`,
    ],
    [
      'another token endpoint',
      withClient,
      { targets: [one], auth: { ...client, token_url: `${evil}/token` } },
      `${place}/auth/client_secret`,
    ],
    [
      'an issuer in place of the token endpoint',
      withClient,
      { targets: [one], auth: { type: client.type, client_id: 'gw', issuer: evil } },
      `${place}/auth/client_secret`,
    ],
    [
      'another target, to which the token goes',
      withClient,
      { targets: [target(evil)], auth: client },
      `${place}/auth/client_secret`,
    ],
    [
      'a masked secret and another target',
      withField,
      { targets: [target(evil)], auth: { ...field, secret: '[masked]' } },
      `${place}/auth/secret`,
    ],
    [
      'a reference that is kept, and another target',
      { ...withField, auth: { ...field, secret: { env: 'SECRET' } } },
      { targets: [target(evil)], auth: field },
      `${place}/auth/secret`,
    ],
    [
      'a password and another target',
      { targets: [one], auth: { type: 'basic', username: 'gw', password: 'sssh' } },
      { targets: [target(evil)], auth: { type: 'basic', username: 'gw' } },
      `${place}/auth/password`,
    ],
  ]
  for (const [what, before, after, at] of refused) {
    it(`is refused with ${what}, and changes nothing`, async () => {
      const realms = await realmsWith({ SECRET: 'of the environment' })
      await realms.realms.load(realmOf(before))
      const stored = realms.replica.get('realm', uri)
      const issues = await refusals(realms, realmOf(after))
      expect(issues?.map(({ path }) => path)).to.deep.equal([at])
      expect(issues?.[0]?.message).to.match(/name it again to have it sent to/)
      expect(realms.replica.get('realm', uri)).to.deep.equal(stored)
    })
  }

  const taken: readonly (readonly [string, Json])[] = [
    ['fewer targets', { targets: [two], auth: field }],
    ['its targets in another order', { targets: [two, one], auth: field }],
    [
      'a target that is written otherwise',
      { targets: [target('HTTP://10.0.0.5:8080')], auth: field },
    ],
    ['another name of the field', { targets: [one], auth: { ...field, name: 'x-key' } }],
    [
      'another target and the secret',
      { targets: [target(evil)], auth: { ...field, secret: 'sssh-field' } },
    ],
  ]
  for (const [what, after] of taken) {
    it(`is taken with ${what}, and the secret opens`, async () => {
      const realms = await realmsWith()
      await realms.realms.load(realmOf(withField))
      expect(await refusals(realms, realmOf(after))).to.equal(undefined)
      expect(await opened(realms, 'secret')).to.equal('sssh-field')
    })
  }

  it('gives it to no upstream of another name, nor to another type of auth', async () => {
    const realms = await realmsWith()
    await realms.realms.load(realmOf(withField, { other: { targets: [target(evil)] } }))
    await refusals(
      realms,
      realmOf({ targets: [one] }, { other: { targets: [target(evil)], auth: field } }),
    )
    const basic = { type: 'basic', username: 'gw' }
    await refusals(realms, realmOf({ targets: [one], auth: basic }))
    const text = JSON.stringify(realms.realms.realm(uri)?.info)
    expect(await opened(realms, 'password')).to.equal(undefined)
    expect(text).to.not.include('sssh')
  })

  it('shows it to nobody: not in the realm, its versions, and what differs', async () => {
    const realms = await realmsWith()
    await realms.realms.load(realmOf(withField, { orders: withClient }))
    await realms.realms.load(
      realmOf(withField, {
        orders: { ...withClient, auth: { ...withClient.auth, client_secret: 'sssh-next' } },
      }),
    )
    const shown = realms.realms.get(uri) as { info: { upstreams: Record<string, Json> } }
    expect(shown.info.upstreams).to.deep.equal({
      billing: { targets: [one, two], auth: field },
      orders: { targets: [one, two], auth: client },
    })
    expect(JSON.stringify(realms.replica.get('realm', uri))).to.not.include('sssh')
  })
})

describe('the password of the proxy of an upstream', () => {
  const proxy = { url: 'http://squid:3128', username: 'gw', password: 'sssh-1' }
  const { password: _, ...without } = proxy

  it('is sealed, kept by a load without it, and shown to nobody', async () => {
    const realms = await realmsWith()
    await realms.realms.load(realmOf({ ...withField, proxy }))
    await realms.realms.load(realmOf({ ...withField, proxy: without }))
    expect(JSON.stringify(realms.realms.get(uri))).to.not.include('sssh')
    expect(JSON.stringify(realms.replica.get('realm', uri))).to.not.include('sssh')
    const { info } = realms.realms.realm(uri) ?? {}
    const { upstreams } = (info ?? {}) as { upstreams: Record<string, { proxy: Json }> }
    const value = upstreams.billing?.proxy.password
    const to = realms.realms.secretOrigins(uri, 'upstreams', 'billing')
    expect(await realms.realms.openSecret(uri, value, to)).to.equal('sssh-1')
  })

  for (const [what, given, key] of [
    ['a name without one', { url: 'http://p', username: 'gw' }, 'password'],
    ['one without a name', { url: 'http://p', password: 'sssh' }, 'username'],
    ['a name, and null for it', { url: 'http://p', username: 'gw', password: null }, 'password'],
  ] as const) {
    it(`is refused: ${what}`, async () => {
      const issues = await refusals(await realmsWith(), realmOf({ ...withField, proxy: given }))
      expect(issues?.map(({ path }) => path)).to.deep.equal([`${place}/proxy/${key}`])
    })
  }

  for (const [what, upstream] of [
    ['another proxy', { ...withField, proxy: { ...without, url: 'http://thief:3128' } }],
    ['another target', { ...withField, proxy: without, targets: [target('http://thief')] }],
  ] as const) {
    it(`is not kept for ${what}`, async () => {
      const realms = await realmsWith()
      await realms.realms.load(realmOf({ ...withField, proxy }))
      const refused = await realms.realms.load(realmOf(upstream)).then(
        () => undefined,
        (error: { details: { path: string }[] }) => error.details.map(({ path }) => path),
      )
      expect(refused).to.include('/info/upstreams/billing/proxy/password')
    })
  }
})

describe('the origins of the secrets of an upstream', () => {
  const variable = `$${'{'}TARGET}`
  const cases: readonly (readonly [string, Json, readonly string[]])[] = [
    ['its targets', withField, ['http://10.0.0.5:8080', 'http://10.0.0.6:8080']],
    ['its token endpoint', { auth: withClient.auth }, ['https://id.example.com']],
    ['its issuer', { auth: { issuer: 'https://id.example.com/a' } }, ['https://id.example.com']],
    ['its proxy', { proxy: 'http://squid:3128' }, ['http://squid:3128']],
    ['its proxy with a name', { proxy: { url: 'https://squid' } }, ['https://squid']],
    ['the path of a socket', { targets: [target('unix:/run/a.sock')] }, ['unix:/run/a.sock']],
    ['a variable as it is written', { targets: [target(variable)] }, [variable]],
  ]
  for (const [what, entry, origins] of cases) {
    it(`are those of ${what}`, () => {
      expect(originsOf('upstreams', entry)).to.deep.equal(origins)
    })
  }
})
