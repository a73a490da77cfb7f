/** What loading a realm says of its senders of webhooks, and how their secrets are kept. */
import { expect } from 'chai'
import type { InvalidSpecError } from '#component/errors.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'

const uri = 'com.example.test'
const realm = (webhook_senders: unknown) => ({ uri, info: { webhook_senders } })
const at = '/info/webhook_senders/it'
const key = (bytes: number) => Buffer.alloc(bytes, 1).toString('base64')
const long = 'a secret of 16 B'
const ofStandard =
  'expected whsec_ and base64 of 24 to 64 bytes, or whpk_ and base64 of a public key of Ed25519'

/** The issues and warnings of a load with this sender. */
async function load(sender: unknown) {
  const { realms } = await realmsWith()
  try {
    const [loaded] = await realms.load(realm({ it: sender }))
    return { issues: [], warnings: loaded?.warnings ?? [] }
  } catch (error) {
    return { issues: (error as InvalidSpecError).issues, warnings: [] }
  }
}

describe('a sender of webhooks', () => {
  for (const [what, sender] of [
    ['of GitHub', { scheme: 'github', secret: long, username: 'hook-github' }],
    ['of Stripe', { scheme: 'stripe', secrets: [{ env: 'A' }, { env: 'B' }], tolerance: 300 }],
    ['of Standard Webhooks', { scheme: 'standard', secret: { file: '/run/secrets/svix' } }],
    ['with a shared key', { scheme: 'standard', secret: `whsec_${key(24)}` }],
    ['with a public key', { scheme: 'standard', secrets: [`whpk_${key(32)}`] }],
    [
      'with an HMAC',
      {
        ...{ scheme: 'hmac', header: 'x-signature', algorithm: 'sha512', encoding: 'base64' },
        ...{ prefix: 'v=', id_header: 'x-id', secret: long, description: 'old' },
      },
    ],
  ] as const) {
    it(`loads: ${what}`, async () => {
      expect(await load(sender)).to.deep.equal({ issues: [], warnings: [] })
    })
  }

  for (const [what, sender, path, message] of [
    ['no map', 'github', at, 'expected a sender'],
    ['no scheme', {}, `${at}/scheme`, 'scheme is missing: expected how the sender signs'],
    [
      'an unknown scheme',
      { scheme: 'md5' },
      `${at}/scheme`,
      'expected one of standard, stripe, github, hmac',
    ],
    [
      'secret below 24 bytes for `standard`',
      { scheme: 'standard', secret: `whsec_${key(23)}` },
      `${at}/secret`,
      ofStandard,
    ],
    [
      'a private key',
      { scheme: 'standard', secrets: [`whsk_${key(32)}`] },
      `${at}/secrets/0`,
      ofStandard,
    ],
    ['an empty secret', { scheme: 'github', secret: '' }, `${at}/secret`, 'expected a secret'],
    ['a number', { scheme: 'github', secret: 5 }, `${at}/secret`, 'expected a secret'],
    [
      'a strange map',
      { scheme: 'github', secret: { x: 'y' } },
      `${at}/secret`,
      'expected a secret',
    ],
    [
      'no secret in a list',
      { scheme: 'github', secrets: [] },
      `${at}/secrets`,
      'expected a list of secrets, got an empty list',
    ],
    [
      '11 secrets',
      { scheme: 'github', secrets: Array(11).fill('s') },
      `${at}/secrets`,
      'expected at most 10 secrets',
    ],
    [
      'an HMAC without a header',
      { scheme: 'hmac', secret: 's' },
      `${at}/header`,
      'header is missing: expected the header of the signature',
    ],
    [
      'a tolerance of 0',
      { scheme: 'stripe', secret: 's', tolerance: 0 },
      `${at}/tolerance`,
      'expected an integer of seconds from 1 to 86400',
    ],
  ] as const) {
    it(`is refused: ${what}`, async () => {
      expect((await load(sender)).issues).to.deep.equal([{ path, message }])
    })
  }

  for (const [what, sender, places] of [
    ['GitHub, of 15 bytes', { scheme: 'github', secret: long.slice(1) }, ['secret']],
    ['Stripe, of 1 byte', { scheme: 'stripe', secret: 's' }, ['secret']],
    ['an HMAC, empty but for a blank', { scheme: 'hmac', header: 'x', secret: ' ' }, ['secret']],
    [
      'a rotation',
      { scheme: 'github', secrets: [long, 'old', 'é'.repeat(7)] },
      ['secrets/1', 'secrets/2'],
    ],
    ['16 bytes in 8 characters', { scheme: 'github', secret: 'é'.repeat(8) }, []],
    ['a secret elsewhere', { scheme: 'github', secrets: [{ env: 'A' }, { file: '/b' }] }, []],
  ] as const) {
    it(`is warned of where its secret is short, and only there: ${what}`, async () => {
      const { warnings } = await load(sender)
      expect(warnings).to.deep.equal(
        places.map((place) => ({
          path: `${at}/${place}`,
          message:
            'the secret has less than 16 bytes, and can be guessed from a signed message: use a random one of 32',
        })),
      )
    })
  }

  it('is warned of for keys that its scheme does not have', async () => {
    const { warnings } = await load({ scheme: 'github', secret: long, tolerance: 5, header: 'x-a' })
    expect(warnings).to.deep.equal([
      {
        path: `${at}/header`,
        message: 'the scheme github has no header: it is not used',
      },
      {
        path: `${at}/tolerance`,
        message: 'the scheme github has no tolerance: it is not used',
      },
    ])
  })

  it('must be in a map of names', async () => {
    const { realms } = await realmsWith()
    const refusal = await realms.load(realm([])).catch((error: InvalidSpecError) => error.issues)
    expect(refusal).to.deep.equal([
      {
        path: '/info/webhook_senders',
        message: 'expected a map of names to senders, got a list',
      },
    ])
  })

  it('has its secrets sealed and never shown, whatever its name is', async () => {
    const { realms, store } = await realmsWith()
    const senders = {
      api_token: { scheme: 'github', secret: 'first-value' },
      secret: { scheme: 'stripe', secrets: ['second-value', { env: 'OLD' }] },
    }
    await realms.load(realm(senders))
    const shown = realms.get(uri).info
    expect(shown).to.deep.equal({
      webhook_senders: { api_token: { scheme: 'github' }, secret: { scheme: 'stripe' } },
    })
    expect(JSON.stringify(await store.since(0))).not.to.match(/(first|second)-value/)
    const { info = {} } = realms.realm(uri) ?? {}
    const { api_token, secret } = info.webhook_senders as typeof senders
    expect(await realms.openSecret(uri, api_token.secret)).to.equal('first-value')
    expect(await realms.openSecret(uri, secret.secrets[0])).to.equal('second-value')
  })

  it('keeps its secrets where what was shown is loaded again, also masked, and loses them by null', async () => {
    const { realms } = await realmsWith()
    const sender = { scheme: 'standard', secret: `whsec_${key(32)}` }
    await realms.load(realm({ it: sender }))
    const hash = realms.hashOf(uri)
    const { ts: _ts, ...shown } = realms.get(uri)
    await realms.load(shown)
    expect(realms.hashOf(uri)).to.equal(hash)
    await realms.load(realm({ it: { ...sender, secret: '[masked]' } }))
    expect(realms.hashOf(uri)).to.equal(hash)
    await realms.load(realm({ it: { ...sender, secret: null } }))
    expect(realms.realm(uri)?.info).to.deep.equal({
      webhook_senders: { it: { scheme: 'standard' } },
    })
  })
})
