/** Private keys of a client: which are read, by what id their public halves go, and what a login says of others. */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { expect } from 'chai'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { readClientKey } from '#component/oidc/client/client-key.ts'
import { browser, codeOf, freshLogins, node, provider, realm_uri } from './login-fixture.ts'

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey

describe('the private key of a client', () => {
  for (const [alg, key] of [
    ['ES256', p256],
    ['RS256', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey],
    ['EdDSA', generateKeyPairSync('ed25519').privateKey],
  ] as const) {
    it(`is read for ${alg}, and its public half has the thumbprint for an id`, async () => {
      const read = await readClientKey(pemOf(key))
      expect(read).to.include({ alg, kid: await calculateJwkThumbprint(read.public_jwk as JWK) })
      expect(read.key).to.include({ type: 'private', extractable: false })
      expect(read.public_jwk).to.include({ alg, kid: read.kid, use: 'sig' })
      expect(read.public_jwk).to.not.have.any.keys('d', 'p', 'q', 'dp', 'dq', 'qi')
    })
  }

  for (const [what, pem] of [
    ['of another curve', pemOf(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey)],
    ['of short RSA', pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)],
    ['of X25519', pemOf(generateKeyPairSync('x25519').privateKey)],
    ['that is a text', 's3cr3t'],
    ['that is cut off', pemOf(p256).slice(0, 90)],
  ] as const) {
    it(`${what} is refused, and nothing of it is told`, async () => {
      const error = await readClientKey(pem).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(Error)
      expect(String(error))
        .to.include('expected a PEM of PKCS #8 with a key of P-256')
        .and.not.include(pem.slice(30, 60) || pem)
    })
  }

  describe('of a realm', () => {
    freshLogins()
    const private_key = pemOf(p256)

    it('is stored sealed, and its public half is what providers are shown', async () => {
      await node.declare({ client_secret: null, private_key })
      const info = JSON.stringify(node.realms.realm(realm_uri)?.info)
      expect(info).to.include('sealed').and.not.include(private_key.slice(30, 60))
      expect(node.realms.get(realm_uri)).to.not.have.nested.property(
        'info.oidc_providers.mock.private_key',
      )
      const { kid } = await readClientKey(private_key)
      const { keys } = await node.login.publicKeys(realm_uri, 'mock')
      expect(keys).to.have.length(1)
      expect(keys[0]).to.include({ kid, alg: 'ES256' })
    })

    it('is absent: there are no public keys', async () => {
      expect(await node.login.publicKeys(realm_uri, 'mock')).to.deep.equal({ keys: [] })
      expect(await codeOf(() => node.login.publicKeys(realm_uri, 'other'))).to.equal(
        'unknown_provider',
      )
    })

    it('that cannot be used lets nobody begin a login', async () => {
      for (const broken of ['s3cr3t', { file: '/nowhere/key.pem' }, { env: 'UNSET' }]) {
        await node.declare({ private_key: broken })
        const error = await node.begin(browser()).catch((thrown: unknown) => thrown)
        expect(error).to.have.property('code', 'provider_unavailable')
        expect(String(error))
          .to.include('info.oidc_providers.mock.private_key')
          .and.not.include('s3cr3t')
      }
      expect(provider.asked).to.deep.equal([])
    })
  })
})
