/** Refresh tokens: used once; a repeat is forgiven for a moment, an old one ends its family; what was not made here asks no store. */
import { expect } from 'chai'
import { ada, iss, openTokens, otherRealm, realm_uri, reasonOf } from './doubles.ts'

const refused = 'the refresh token is not valid'
const graceSeconds = 10

async function loggedIn() {
  const tokens = await openTokens()
  const { refreshTokens, accessTokens } = tokens
  const { token, family } = await refreshTokens.issue(realm_uri, ada)
  const access = await accessTokens.issue(realm_uri, iss, ada, family)
  return {
    ...tokens,
    token,
    family,
    use: (text: string) => refreshTokens.rotate(text, realm_uri),
    refusal: (text: string) => reasonOf(() => refreshTokens.rotate(text, realm_uri)),
    /** Why its access token is refused. */
    accessRefusal: () => reasonOf(() => accessTokens.verify(access.token, realm_uri)),
  }
}

describe('a refresh token', () => {
  it('keeps of whoever has logged in what the next tokens need', async () => {
    const { family, families, clock, token } = await loggedIn()
    const now = clock.now()
    const { id, ...others } = family
    expect(others).to.deep.equal({
      realm_uri,
      authid: 'ada',
      client_id: 'app',
      device_id: 'all',
      scope: ['editors', 'readers'],
      authmethod: 'oauth2',
      generation: 0,
      created_at: now,
      rotated_at: now,
      expires_at: now + 86_400_000,
    })
    expect(id).to.match(/^[\w-]{22}$/)
    expect(families.rows).to.deep.equal([family])
    expect(token).to.match(/^[\w-]{70}$/)
  })

  it('gives the next one, which can be used for as long again', async () => {
    const { token, family, use, pass, clock, refreshTokens } = await loggedIn()
    pass(86_399)
    const next = await use(token)
    expect(next.token).to.not.equal(token)
    expect(refreshTokens.read(next.token)).to.deep.equal({ family: family.id, generation: 1 })
    expect(next.family.expires_at).to.equal(clock.now() + 86_400_000)
    pass(86_399)
    expect((await use(next.token)).family.generation).to.equal(2)
  })

  it('expires', async () => {
    const { token, refusal, pass } = await loggedIn()
    pass(86_400)
    expect(await refusal(token)).to.equal(refused)
  })

  it('gives a repeat within the grace the same next one, however many there are', async () => {
    const { token, use, pass, accessRefusal } = await loggedIn()
    const uses = await Promise.all(Array.from({ length: 50 }, () => use(token)))
    expect(new Set(uses.map((issued) => issued.token))).to.have.property('size', 1)
    pass(graceSeconds)
    expect((await use(token)).token).to.equal(uses[0]?.token)
    expect(await accessRefusal()).to.equal(undefined)
  })

  it('ends its family and the access tokens when it is used after the grace', async () => {
    const { token, use, refusal, pass, accessRefusal, families } = await loggedIn()
    const next = await use(token)
    pass(graceSeconds + 1)
    expect(await accessRefusal()).to.equal(undefined)
    expect(await refusal(token)).to.equal(refused)
    expect(await refusal(next.token)).to.equal(refused)
    expect(await accessRefusal()).to.equal('the token was revoked')
    expect(families.rows).to.deep.equal([])
  })

  it('ends its family when it is older than the last one, even within the grace', async () => {
    const { token, use, refusal } = await loggedIn()
    const { token: second } = await use(token)
    const { token: third } = await use(second)
    expect(await refusal(token)).to.equal(refused)
    expect(await refusal(third)).to.equal(refused)
  })

  it('is refused in another realm, and stays what it was', async () => {
    const { token, use, refreshTokens } = await loggedIn()
    expect(await reasonOf(() => refreshTokens.rotate(token, otherRealm))).to.equal(refused)
    expect((await use(token)).family.generation).to.equal(1)
  })

  it('stays what it was when it is not admitted', async () => {
    const { token, family, use, refreshTokens } = await loggedIn()
    const failure = new Error('not this one')
    const seen: unknown[] = []
    const failed = await refreshTokens
      .rotate(token, realm_uri, (itsFamily) => {
        seen.push(itsFamily)
        throw failure
      })
      .catch((error: unknown) => error)
    expect(failed).to.equal(failure)
    expect(seen).to.deep.equal([family])
    expect((await use(token)).family.generation).to.equal(1)
  })

  it('ends with its family, and with everything of its user, although the row is still there', async () => {
    for (const end of ['family', 'user'] as const) {
      const { token, family, families, refusal, revocations } = await loggedIn()
      if (end === 'family') await revocations.revokeFamily(family.id)
      else await revocations.revokeUsers([{ realm_uri, authid: 'ada' }])
      await families.create(family, 25)
      expect(await refusal(token)).to.equal(refused)
    }
  })

  it('is one of 25 families of a user: the oldest goes', async () => {
    const { token, refreshTokens, families, refusal, use } = await loggedIn()
    const others = []
    for (let count = 0; count < 25; count++) others.push(await refreshTokens.issue(realm_uri, ada))
    expect(families.rows).to.have.length(25)
    expect(await refusal(token)).to.equal(refused)
    expect((await use(others[0]?.token ?? '')).family.generation).to.equal(1)
  })

  it('is not used up while the store is away', async () => {
    const { token, use, families } = await loggedIn()
    families.isAway = true
    const failed = await use(token).catch((error: unknown) => error)
    expect(failed).to.have.property('uri', 'service.error.unavailable')
    families.isAway = false
    expect((await use(token)).family.generation).to.equal(1)
  })
})

describe('a text that is no refresh token of ours', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const changed = (byte: number) => (token: string) => {
    const bytes = Buffer.from(token, 'base64url')
    bytes[byte] = (bytes[byte] ?? 0) ^ 1
    return bytes.toString('base64url')
  }
  const cases: Readonly<Record<string, (token: string) => string>> = {
    'is empty': () => '',
    'is cut off': (token) => token.slice(0, -1),
    'is only the family': (token) => token.slice(0, 22),
    'has more': (token) => `${token}A`,
    'has padding': (token) => `${token}==`,
    'has a blank before it': (token) => ` ${token}`,
    'has a dot in it': (token) => `${token.slice(0, 30)}.${token.slice(30)}`,
    'has other unused bits': (token) =>
      token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1) ?? '') ^ 1],
    'names another family': changed(0),
    'names another generation': changed(19),
    'has another MAC': changed(51),
    'is an API key': () => `gk_${'A'.repeat(12)}_${'A'.repeat(43)}`,
    'is zeros': () => 'A'.repeat(70),
    'is a mebibyte': () => 'A'.repeat(1_048_576),
  }
  for (const [what, change] of Object.entries(cases)) {
    it(`since it ${what} is refused without asking the store`, async () => {
      const { token, families, refusal, refreshTokens, use } = await loggedIn()
      const text = change(token)
      const asked = families.asked
      expect(refreshTokens.read(text)).to.equal(undefined)
      expect(await refusal(text)).to.equal(refused)
      expect(families.asked).to.equal(asked)
      expect((await use(token)).family.generation).to.equal(1)
    })
  }

  it('since it was made with another store.key is refused', async () => {
    const { token } = await loggedIn()
    const { refreshTokens } = await openTokens({ store_key: 'quite another store.key' })
    expect(refreshTokens.read(token)).to.equal(undefined)
  })
})
