/** Access tokens that must be refused, at a protected path: made by others, altered, forged, ended, or not valid now. */
import { expect } from 'chai'
import { CompactEncrypt, CompactSign, exportSPKI, importJWK, type JWK } from 'jose'
import { systemClock } from '#component/clock.ts'
import {
  ask,
  logIn,
  revoke,
  shopDocument,
  shopRealm,
  shopRealmWith,
} from '#test/support/examples/example-api.ts'
import { openShopBackend } from '#test/support/examples/example-backend.ts'
import { send } from '#test/support/http-request.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { type Area, type BadInput, describeArea } from './cases.ts'
import { decode, encode, forge, type StolenKey, stealKeys, storeKey } from './forging.ts'
import { ask as askBytes, expectRefusal, get } from './sockets.ts'

/** Seconds since the epoch. */
const nowOf = (clock = systemClock) => Math.floor(clock.now() / 1000)

/** Loads realm and API. */
async function openShop({ gateway, load }: Area): Promise<void> {
  const loaded = await send(gateway.adminUrl, '/realms', { method: 'POST', body: shopRealmWith() })
  expect(loaded.status, loaded.text).to.be.oneOf([200, 201])
  await load(shopDocument)
}

/** What a path answers to a text in place of a token; as bytes, since some are no fields that a client would send. */
const answerTo = ({ port }: Area, token: string) =>
  askBytes(port, get('/shop/me', `Authorization: Bearer ${token}`))

/** A token is refused as the row says, and the challenge says why (RFC 6750 §3). */
async function expectRefused(area: Area, token: string, entry: BadInput): Promise<void> {
  const answer = await answerTo(area, token)
  expectRefusal(answer, entry)
  const challenge = answer.headers['www-authenticate']
  expect(challenge).to.match(
    new RegExp(
      `^Bearer realm="${shopRealm}", error="invalid_token", error_description="[^"]+", resource_metadata="[^"]+/.well-known/oauth-protected-resource/shop"$`,
    ),
  )
  if (token.length > 20) expect(JSON.stringify(answer)).to.not.include(token.slice(0, 20))
}

const setup = { isEmbedded: true }

describeArea(
  'oauth, tokens',
  { 'store.key': storeKey },
  (area) => {
    let token: string
    let key: StolenKey
    let publicJwk: JWK
    before(async () => {
      await openShop(area)
      token = (await logIn(area.gateway.url)).access_token
      const [first] = await stealKeys(area.gateway.dataDir)
      if (!first) throw new TypeError('the realm has a key')
      key = first
      const jwks = (await send(area.gateway.url, '/shop/oauth/jwks')).json()
      publicJwk = (jwks as { readonly keys: readonly JWK[] }).keys[0] ?? {}
    })
    afterEach(async () => {
      // the good token is as good as before, and one that is forged as it should be is as good
      expect((await answerTo(area, token)).status).to.equal(200)
      expect((await answerTo(area, await forge(key, token))).status).to.equal(200)
    })

    const parts = () => token.split('.') as [string, string, string]

    area.test(84, async (entry) => {
      const publicKey = await importJWK({ ...publicJwk, alg: 'ECDH-ES' })
      for (const [header, encryptionKey] of [
        [{ alg: 'ECDH-ES', enc: 'A256GCM' }, publicKey],
        [{ alg: 'dir', enc: 'A256GCM' }, new Uint8Array(32)],
      ] as const) {
        const jwe = await new CompactEncrypt(Buffer.from(JSON.stringify(decode(token, 1))))
          .setProtectedHeader({ ...header, typ: 'at+jwt', kid: key.kid })
          .encrypt(encryptionKey)
        expect(jwe.split('.')).to.have.length(5)
        await expectRefused(area, jwe, entry)
      }
    })

    area.test(86, async (entry) => {
      const [header, claims] = parts()
      await expectRefused(area, `${header}.${claims}.${'A'.repeat(86)}`, entry)
      // DER in place of r and s
      const der = Buffer.from('3006020100020100', 'hex').toString('base64url')
      await expectRefused(area, `${header}.${claims}.${der}`, entry)
    })

    area.test(87, async (entry) => {
      for (const header of [
        { crit: ['x'], x: 1 },
        { x: 1 },
        { jwk: publicJwk },
        { jku: `${area.gateway.url}/shop/oauth/jwks` },
      ]) {
        await expectRefused(area, await forge(key, token, { header }), entry)
      }
    })

    area.test(91, async (entry) => {
      for (const claims of [
        { exp: undefined },
        { exp: null },
        { exp: String(nowOf() + 600) },
        { exp: nowOf() + 600.5 },
        { iat: undefined },
        { jti: undefined },
        { sub: undefined },
        { aud: undefined },
        { aud: 'com.example.test' },
        { exp: nowOf() },
      ]) {
        await expectRefused(area, await forge(key, token, { claims }), entry)
      }
    })

    area.test(92, async (entry) => {
      expectRefusal(await answerTo(area, 'a'.repeat(1_000_000)), entry)
      // signed well, and still not looked at
      const claims = { padding: 'x'.repeat(9_000) }
      const long = await forge(key, token, { claims })
      const refused = { ...entry, expected: { status: 401, code: 'service.error.unauthorized' } }
      await expectRefused(area, long, refused)
      expect((await answerTo(area, long)).headers['www-authenticate']).to.include('too long')
    })

    area.test(93, async (entry) => {
      const [, claims, signature] = parts()
      for (const alg of ['none', 'None', 'NONE', 'nOnE', '', undefined]) {
        for (const header of [{ alg }, { ...decode(token, 0), alg }]) {
          await expectRefused(area, `${encode(header)}.${claims}.`, entry)
          await expectRefused(area, `${encode(header)}.${claims}`, entry)
          await expectRefused(area, `${encode(header)}.${claims}.${signature}`, entry)
        }
      }
    })

    area.test(95, async (entry) => {
      for (const kid of [
        '../../../dev/null',
        "x' OR 1=1--",
        '__proto__',
        'constructor',
        '',
        ' ',
        `${key.kid} `,
        'x'.repeat(5000),
        [key.kid],
        { toString: key.kid },
        null,
        undefined,
      ]) {
        await expectRefused(area, await forge(key, token, { header: { kid } }), entry)
      }
    })

    area.test(97, async (entry) => {
      const { alg: _alg, ...jwk } = publicJwk
      const pem = await exportSPKI((await importJWK(publicJwk, 'ES256')) as CryptoKey)
      for (const secret of [pem, pem.trimEnd(), JSON.stringify(publicJwk), JSON.stringify(jwk)]) {
        const made = await new CompactSign(Buffer.from(JSON.stringify(decode(token, 1))))
          .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key.kid })
          .sign(Buffer.from(secret))
        await expectRefused(area, made, entry)
        // the same, and it is said to be what we sign with
        const [header = '', ...rest] = made.split('.')
        const lying = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), alg: 'ES256' }
        await expectRefused(area, [encode(lying), ...rest].join('.'), entry)
      }
    })

    area.test(98, async (entry) => {
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      const { access_token } = await logIn(area.gateway.url)
      const last = alphabet.indexOf(access_token.at(-1) ?? '')
      // 86 characters hold 4 bits more than 64 bytes: 16 texts are one signature
      const same = Array.from({ length: 16 }, (_, bits) => alphabet[(last & ~15) | bits])
      const variants = same.map((end) => access_token.slice(0, -1) + end)
      expect(variants).to.include(access_token)
      const before = await Promise.all(variants.map((one) => answerTo(area, one)))
      expect(before.filter(({ status }) => status === 200)).to.not.be.empty
      expect(await revoke(area.gateway.url, access_token)).to.equal(200)
      for (const one of variants) await expectRefused(area, one, entry)
      for (const end of ['=', '==', '%3D', '.', '\t']) {
        expectRefusal(await answerTo(area, access_token + end), entry)
      }
    })

    area.test(101, async (entry) => {
      for (const exp of [1e300, 1e15, Number.MAX_SAFE_INTEGER, nowOf() + 86_401 + 60]) {
        await expectRefused(area, await forge(key, token, { claims: { exp } }), entry)
      }
      const iat = nowOf() + 10_000_000_000
      const claims = { iat, exp: iat + 60 }
      await expectRefused(area, await forge(key, token, { claims }), entry)
    })

    area.test(105, async (entry) => {
      for (const lines of [
        [],
        ['Authorization:'],
        ['Authorization: Basic dTpw'],
        ['Cookie: t=x'],
      ]) {
        const answer = await askBytes(area.port, get('/shop/me', ...lines))
        expectRefusal(answer, entry)
        expect(answer.headers['www-authenticate']).to.match(
          new RegExp(`^Bearer realm="${shopRealm}", resource_metadata="[^"]+/shop"$`),
        )
      }
      // nowhere but in the header
      const inQuery = await askBytes(area.port, get(`/shop/me?access_token=${token}`))
      expectRefusal(inQuery, entry)
    })

    area.test(107, async (entry) => {
      const backend = await openShopBackend(area.gateway.routerUrl)
      try {
        const good = await ask(area.gateway.url, token, '/order')
        expect([good.status, good.text]).to.deep.equal([200, '"ada"'])
        const { access_token } = await logIn(area.gateway.url, 'bob')
        const refused = await askBytes(
          area.port,
          get('/shop/order', `Authorization: Bearer ${access_token}`),
        )
        expect(refused.status).to.equal(entry.expected.status)
        expect(JSON.parse(refused.body)).to.have.property('code', entry.expected.code)
        expect(refused.headers).to.not.have.property('www-authenticate')
      } finally {
        backend.cut()
      }
    })
  },
  setup,
)

const clock = movedClock()

describeArea(
  'oauth, tokens over time',
  { 'store.key': storeKey },
  (area) => {
    let token: string
    before(async () => {
      await openShop(area)
      token = (await logIn(area.gateway.url)).access_token
    })

    area.test(88, async (entry) => {
      const [key] = await stealKeys(area.gateway.dataDir)
      if (!key) throw new TypeError('the realm has a key')
      const later = await forge(key, token, { claims: { nbf: nowOf(clock) + 120 } })
      await expectRefused(area, later, entry)
      clock.aheadMs += 121_000
      expect((await answerTo(area, later)).status).to.equal(200)
    })

    area.test(102, async (entry) => {
      const rotated = await send(area.gateway.adminUrl, '/services/rotate_realm_keys', {
        method: 'POST',
        body: { uri: shopRealm },
      })
      expect(rotated.status, rotated.text).to.equal(200)
      const { active_from } = rotated.json() as { readonly active_from: number }
      const keys = await stealKeys(area.gateway.dataDir)
      const { kid: oldKid } = decode(token, 0)
      const old = keys.find(({ kid }) => kid === oldKid)
      if (!old) throw new TypeError('the key that signed before is there')
      const kidsShown = async () =>
        ((await send(area.gateway.url, '/shop/oauth/jwks')).json() as { keys: JWK[] }).keys
      const made = () => {
        const iat = nowOf(clock)
        return forge(old, token, { claims: { iat, exp: iat + 900 } })
      }
      // what it has signed may be a ticket of 30 days
      clock.aheadMs = (active_from + 2_592_000) * 1000 - Date.now() - 60_000
      expect((await answerTo(area, await made())).status).to.equal(200)
      const kept = await made()
      expect(await kidsShown()).to.have.length(2)
      clock.aheadMs += 61_000
      await expectRefused(area, await made(), entry)
      await expectRefused(area, kept, entry)
      expect((await kidsShown()).map(({ kid }) => kid)).to.not.include(oldKid)
      const { access_token } = await logIn(area.gateway.url)
      expect((await answerTo(area, access_token)).status).to.equal(200)
    })
  },
  { ...setup, clock },
)
