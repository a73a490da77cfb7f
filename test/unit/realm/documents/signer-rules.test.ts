/** What loading a realm says of its signers of webhooks, and how their secrets are kept. */
import { expect } from 'chai'
import type { InvalidSpecError } from '#component/errors.ts'
import { realmsWith, refusals } from '#test/unit/realm/doubles.ts'

const uri = 'com.example.test'
const realm = (shop: unknown) => ({ uri, info: { webhook_signers: { shop } } })
const at = '/info/webhook_signers/shop'
const key = (bytes: number) => Buffer.alloc(bytes, 1).toString('base64')
const origins = ['https://shop.example.com']
const standard = { scheme: 'standard', origins }
const ofStandard =
  'expected whsec_ and base64 of 24 to 64 bytes, or whsk_ and base64 of a private key of Ed25519'

/** The issues and warnings of a load with this signer. */
async function load(signer: unknown) {
  const { realms } = await realmsWith()
  try {
    const [loaded] = await realms.load(realm(signer))
    return { issues: [], warnings: loaded?.warnings ?? [] }
  } catch (error) {
    return { issues: (error as InvalidSpecError).issues, warnings: [] }
  }
}

describe('a signer of webhooks', () => {
  for (const [what, signer] of [
    ['a shared key', { ...standard, secret: `whsec_${key(24)}` }],
    ['a private key and its public one', { ...standard, secret: `whsk_${key(64)}` }],
    ['a private key alone', { ...standard, secret: `whsk_${key(32)}` }],
    ['a rotation', { ...standard, secrets: [{ env: 'NEW' }, { env: 'OLD' }] }],
    ['a file', { ...standard, secret: { file: '/run/secrets/shop' } }],
    ['an HMAC', { scheme: 'hmac', header: 'x-signature', origins, secret: 'a secret of 16 B' }],
  ] as const) {
    it(`loads with ${what}`, async () => {
      expect(await load(signer)).to.deep.equal({ issues: [], warnings: [] })
    })
  }

  for (const [what, signer, path, message] of [
    ['no map', 'standard', at, 'expected a signer'],
    ['no origins', { scheme: 'standard' }, `${at}/origins`, 'origins is missing: expected'],
    [
      'no origin at all',
      { ...standard, origins: [] },
      `${at}/origins`,
      'expected a list of origins',
    ],
    ['a path', { ...standard, origins: ['https://a/b'] }, `${at}/origins/0`, 'expected an origin'],
    [
      'a host alone',
      { ...standard, origins: ['a.example'] },
      `${at}/origins/0`,
      'expected an origin',
    ],
    [
      'the metadata of a cloud',
      { ...standard, origins: ['http://169.254.169.254'] },
      `${at}/origins/0`,
      'expected an origin',
    ],
    [
      'a scheme of senders',
      { ...standard, scheme: 'stripe' },
      `${at}/scheme`,
      'expected one of standard, hmac',
    ],
    ['a public key', { ...standard, secret: `whpk_${key(32)}` }, `${at}/secret`, ofStandard],
    ['a short key', { ...standard, secret: `whsec_${key(23)}` }, `${at}/secret`, ofStandard],
    ['a key of 33 bytes', { ...standard, secret: `whsk_${key(33)}` }, `${at}/secret`, ofStandard],
    [
      'no header of an HMAC',
      { scheme: 'hmac', origins },
      `${at}/header`,
      'header is missing: expected',
    ],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      const { issues } = await load(signer)
      expect(issues.map((issue) => issue.path)).to.deep.equal([path])
      expect(issues[0]?.message.slice(0, message.length)).to.equal(message)
    })
  }

  it('is warned of a short secret of an HMAC, and of keys without a meaning', async () => {
    const hmac = { scheme: 'hmac', header: 'x-signature', origins, secret: 'short' }
    expect((await load(hmac)).warnings.map(({ path }) => path)).to.deep.equal([`${at}/secret`])
    const keys = { ...standard, secret: `whsec_${key(32)}`, header: 'x-signature' }
    expect((await load(keys)).warnings.map(({ path }) => path)).to.deep.equal([`${at}/header`])
  })
})

describe('the secrets of a signer', () => {
  const secret = `whsec_${key(32)}`
  const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
  const evil = { scheme: 'standard', origins: ['https://evil.example'] }

  for (const [what, before, after, path] of [
    ['one', { ...standard, secret }, evil, 'secret'],
    ['several', { ...standard, secrets: [secret, other] }, evil, 'secrets'],
    ['a masked one', { ...standard, secret }, { ...evil, secret: '[masked]' }, 'secret'],
    [
      'one, and one more origin',
      { ...standard, secret },
      { ...standard, origins: [...origins, ...evil.origins] },
      'secret',
    ],
  ] as const) {
    it(`are not kept by a load that names another origin: ${what}`, async () => {
      const opened = await realmsWith()
      await opened.realms.load(realm(before))
      const issues = await refusals(opened, realm(after))
      expect(issues?.map((issue) => issue.path)).to.deep.equal([`${at}/${path}`])
      expect(issues?.[0]?.message).to.include(
        'name it again to have it sent to https://evil.example',
      )
    })
  }

  it('are sealed with their origins, and shown to nobody', async () => {
    const { realms, replica } = await realmsWith()
    await realms.load(realm({ ...standard, secrets: [secret, other] }))
    const stored = JSON.stringify(replica.get('realm', uri))
    for (const one of [secret, other]) expect(stored).not.to.include(one.slice('whsec_'.length))
    const { info } = realms.realm(uri) as unknown as {
      info: { webhook_signers: { shop: { secrets: unknown[] } } }
    }
    const [sealed] = info.webhook_signers.shop.secrets
    const to = realms.secretOrigins(uri, 'webhook_signers', 'shop')
    expect(to).to.deep.equal(origins)
    expect(await realms.openSecret(uri, sealed, to)).to.equal(secret)
    expect(await realms.openSecret(uri, sealed, evil.origins)).to.equal(undefined)
    expect(JSON.stringify(realms.get(uri))).not.to.include('sealed')
  })
})
