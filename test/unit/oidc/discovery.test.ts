/** When a provider is asked what it is, and what is believed of its answer. */
import { expect } from 'chai'
import type { ProviderFetch } from '#component/oidc/client/discovery.ts'
import { Providers } from '#component/oidc/providers.ts'
import { idle, SetClock } from '#test/unit/replica/doubles.ts'
import { codeOf } from './login-fixture.ts'
import { realmsOf } from './settings-fixture.ts'

const issuer = 'https://idp.example.com/realms/x'
const hourMs = 3_600_000

const honest = {
  issuer,
  authorization_endpoint: 'https://idp.example.com/authorize',
  token_endpoint: 'https://idp.example.com/token',
  jwks_uri: 'https://keys.example.com/jwks',
}

/** Providers of one realm, whose provider answers as the test says. */
function open(settings: object = {}) {
  const clock = new SetClock()
  const asked: { readonly url: string; readonly isFixed: boolean }[] = []
  const lines: unknown[][] = []
  const world = { metadata: honest as object, isAway: false }
  const fetch: ProviderFetch = async (url, _request, isFixed) => {
    asked.push({ url, isFixed })
    if (world.isAway) throw new Error('nobody answers')
    const [from = ''] = url.split('/.well-known/')
    return Response.json(from === issuer ? world.metadata : { ...honest, issuer: from })
  }
  const entry = { issuer, client_id: 'app', client_secret: 'secret', ...settings }
  const many = Object.fromEntries(
    Array.from({ length: 256 }, (_, index) => [
      `p${index}`,
      { ...entry, issuer: `${issuer}/${index}` },
    ]),
  )
  const realms = realmsOf({ mock: entry, twin: { ...entry, client_id: 'twin' }, ...many })
  const log = { warn: (...line: unknown[]) => void lines.push(line) }
  const providers = new Providers({ realms, fetch, clock, log })
  const get = (name = 'mock') => providers.get('r', name)
  return { clock, asked, lines, world, get }
}

describe('the discovery of a provider', () => {
  it('is one request for all that ask at once, and for all realms that have it', async () => {
    const { asked, get } = open()
    await Promise.all([get(), get(), get('twin')])
    await get()
    expect(asked).to.deep.equal([
      { url: `${issuer}/.well-known/openid-configuration`, isFixed: true },
    ])
  })

  it('is made anew after an hour, behind the scenes', async () => {
    const { asked, clock, get, world } = open()
    const login = { callback: 'https://x', state: 's', nonce: 'n', code_verifier: 'v' } as never
    await get()
    clock.ms += hourMs
    world.metadata = { ...honest, authorization_endpoint: 'https://idp.example.com/new' }
    const before = await get()
    expect(await before.authorizationUrl(login)).to.include('idp.example.com/authorize?')
    await idle()
    const after = await get()
    expect(await after.authorizationUrl(login)).to.include('idp.example.com/new?')
    expect(asked).to.have.length(2)
  })

  it('that fails later leaves what is known, and is tried again a second later', async () => {
    const { asked, clock, get, lines, world } = open()
    await get()
    clock.ms += hourMs
    world.isAway = true
    for (let turn = 0; turn < 3; turn++) {
      expect(await codeOf(() => get())).to.equal(undefined)
      await idle()
    }
    expect(asked).to.have.length(2)
    expect(lines).to.have.length(1)
    clock.ms += 1_000
    await get()
    await idle()
    expect(asked).to.have.length(3)
    world.isAway = false
    clock.ms += 1_000
    await get()
    await idle()
    clock.ms += 1_000
    await get()
    await idle()
    expect(asked).to.have.length(4)
  })

  it('that fails at first is remembered for a second', async () => {
    const { asked, clock, get, world } = open()
    world.isAway = true
    const codes = [await codeOf(() => get()), await codeOf(() => get())]
    expect(codes).to.deep.equal(Array(2).fill('provider_unavailable'))
    expect(asked).to.have.length(1)
    world.isAway = false
    clock.ms += 1_000
    expect(await codeOf(() => get())).to.equal(undefined)
  })

  for (const name of [
    'authorization_endpoint',
    'token_endpoint',
    'jwks_uri',
    'userinfo_endpoint',
    'end_session_endpoint',
  ]) {
    it(`is not believed when ${name} has another scheme than https`, async () => {
      for (const url of ['http://idp.example.com/x', 'javascript:x', '/x', 5]) {
        const { get, world } = open()
        world.metadata = { ...honest, [name]: url }
        expect(await codeOf(() => get())).to.equal('provider_unavailable')
      }
    })
  }

  it('is remembered for 256 issuers', async () => {
    const { asked, get } = open()
    await get()
    for (let index = 0; index < 255; index++) await get(`p${index}`)
    await get()
    expect(asked).to.have.length(256)
    await get('p255')
    await get()
    expect(asked).to.have.length(258)
  })

  it('is refused where the secret cannot be read', async () => {
    const { asked, get } = open({ client_secret: { env: 'NOT_THERE' } })
    expect(await codeOf(() => get())).to.equal('provider_unavailable')
    expect(asked).to.deep.equal([])
  })

  it('lets only the issuer’s own origin be at a private address', async () => {
    const { asked, get } = open()
    const provider = await get()
    const login = { callback: 'https://x/', state: 's', nonce: 'n', code_verifier: 'v' } as never
    await codeOf(() => provider.exchange('?code=c&state=s', login))
    expect(asked.at(-1)).to.deep.equal({ url: honest.token_endpoint, isFixed: true })
    const other = open()
    other.world.metadata = { ...honest, token_endpoint: 'https://tokens.example.com/' }
    const found = await other.get()
    await codeOf(() => found.exchange('?code=c&state=s', login))
    expect(other.asked.at(-1)).to.deep.equal({ url: 'https://tokens.example.com/', isFixed: false })
  })
})
