/** WAMP-CRA secrets in the store: sealed, stored where they are needed only, and those of earlier versions read on. */
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { SecretBox } from '#component/secret-box.ts'
import { policyOver, realmsWith } from '#test/unit/realm/doubles.ts'
import { join, outside } from '#test/unit/realm/joining.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'

const uri = 'com.example.realm'
const users = [{ username: 'ada', password: 'geheim' }]
const wampcra = { authmethod: 'wampcra', authid: 'ada', secret: 'geheim' } as const

type Opened = Awaited<ReturnType<typeof realmsWith>>

/** What is stored for ada, as it is on the disk. */
const storedIn = ({ replica }: Opened) => {
  const document = replica.get('realm', uri)?.document as { users: { password: object }[] }
  return document.users[0]?.password as {
    argon2id: string
    wampcra?: { salt: string; iterations: number; keylen: number; secret: unknown }
  }
}

/** Joins as ada by what is stored alone, as somebody who has read the store would. */
async function joinByStored({ realms, replica }: Opened): Promise<unknown> {
  const secret = JSON.stringify(replica.get('realm', uri)?.document)
  const answer = await policyOver(realms).authenticate({
    ...{ realm: uri, session: 7, authid: 'ada', authmethod: 'wampcra', authextra: {} },
    peer: outside,
  })
  if (answer.kind !== 'challenge') return answer.kind
  const texts = [...secret.matchAll(/"([\w+/=.-]{16,})"/g)].map(([, text = '']) => text)
  for (const key of texts) {
    const challenge = String(answer.extra.challenge)
    const found = await answer.check(createHmac('sha256', key).update(challenge).digest('base64'))
    if (found) return found
  }
  return undefined
}

/** The document as an earlier version stored it: the secret in the clear, and of fewer rounds. */
async function storeOld(opened: Opened): Promise<{ argon2id: string; wampcra: object }> {
  await opened.realms.load({ uri, users })
  const { argon2id } = storedIn(opened)
  const password = {
    argon2id,
    wampcra: {
      ...{ salt: 'c2FsdHNhbHRzYWx0c2FsdA==', iterations: 10, keylen: 32 },
      // PBKDF2-HMAC-SHA256 of "geheim" with these
      secret: oldSecret,
    },
  }
  const document = { uri, users: [{ username: 'ada', password }] }
  await opened.replica.change('realm', () => [{ id: uri, document }])
  return password
}
const oldSecret = 'bDdrR4L9GiDHQgvalj/EqOl97IGmNDKrxrqPEvtWw2w='

describe('a WAMP-CRA secret in the store', () => {
  let opened: Opened
  const logIn = () => join(policyOver(opened.realms), uri, wampcra)
  beforeEach(async () => {
    opened = await realmsWith()
  })

  it('logs nobody in who has read it, and its user all the same', async () => {
    await opened.realms.load({ uri, users })
    expect(await logIn()).to.include({ authid: 'ada' })
    expect(await joinByStored(opened)).to.equal(undefined)
    expect(storedIn(opened).wampcra?.secret).to.have.all.keys('sealed')
  })

  it('costs 600,000 rounds unless a test says otherwise', async () => {
    opened = await realmsWith({}, new MemoryStore(), { wampCraRounds: undefined as never })
    await opened.realms.load({ uri, users })
    expect(storedIn(opened).wampcra?.iterations).to.equal(600_000)
    expect(await logIn()).to.include({ authid: 'ada' })
  })

  it('is of one user: under another name, in another realm or under another store.key it opens nothing', async () => {
    const eve = { username: 'eve', password: 'anders' }
    await opened.realms.load({ uri, users: [...users, eve] })
    const stored = storedIn(opened)
    const swapped = [
      { username: 'ada', password: 'anders' },
      { username: 'eve', password: stored },
    ]
    await opened.replica.change('realm', () => [{ id: uri, document: { uri, users: swapped } }])
    const asEve = { ...wampcra, authid: 'eve' }
    expect(await join(policyOver(opened.realms), uri, asEve)).to.equal('wrong')

    const there = await realmsWith()
    await there.realms.load({ uri, users })
    const secrets = new SecretBox('another store key of the tests')
    const policy = policyOver(there.realms, true, { secrets })
    expect(await join(policy, uri, wampcra)).to.equal('wrong')
  })

  for (const [what, realm, has] of [
    ['no authmethods', {}, true],
    ['wampcra among its authmethods', { authmethods: ['ticket', 'wampcra'] }, true],
    ['other authmethods', { authmethods: ['ticket', 'password'] }, false],
    ['a prototype with other authmethods', { prototype_uri: 'com.base' }, false],
    [
      'a prototype, and authmethods of its own',
      { prototype_uri: 'com.base', authmethods: ['wampcra'] },
      true,
    ],
  ] as const) {
    it(`is ${has ? '' : 'not '}stored in a realm with ${what}`, async () => {
      const base = { uri: 'com.base', authmethods: ['ticket'] }
      await opened.realms.load([{ uri, users, ...realm }, base])
      expect('wampcra' in storedIn(opened)).to.equal(has)
      await opened.realms.changePassword(uri, 'ada', 'anders')
      expect('wampcra' in storedIn(opened)).to.equal(has)
    })
  }

  it('goes when the realm serves the method no more, also the password for an external router', async () => {
    opened = await realmsWith({}, new MemoryStore(), { keepsPasswords: true })
    await opened.realms.load({ uri, users })
    const { argon2id } = storedIn(opened)
    await opened.realms.load({ uri, authmethods: ['ticket'], users: [{ username: 'ada' }] })
    expect(storedIn(opened)).to.deep.equal({ argon2id })
  })

  describe('of an earlier version', () => {
    it('logs its user in as before', async () => {
      await storeOld(opened)
      expect(await logIn()).to.include({ authid: 'ada' })
    })

    it('is sealed as it is by a load that does not name the password', async () => {
      await storeOld(opened)
      await opened.realms.load(opened.realms.get(uri))
      const { secret, iterations } = storedIn(opened).wampcra ?? {}
      expect([secret, iterations]).to.deep.equal([storedIn(opened).wampcra?.secret, 10])
      expect(secret).to.have.all.keys('sealed')
      expect(await logIn()).to.include({ authid: 'ada' })
    })

    it('is made anew by a load of the same password, and nothing of the user ends', async () => {
      const { argon2id } = await storeOld(opened)
      const ended: unknown[] = []
      opened.realms.onUsersRevoked = (names) => void ended.push(...names)
      await opened.realms.load({ uri, users })
      expect(storedIn(opened)).to.include({ argon2id })
      expect(storedIn(opened).wampcra?.iterations).to.equal(1_000)
      expect(await logIn()).to.include({ authid: 'ada' })
      expect(ended).to.deep.equal([])
    })

    it('is no sign of a user: names that nobody has are challenged with its rounds, too', async () => {
      await storeOld(opened)
      const answer = await policyOver(opened.realms).authenticate({
        ...{ realm: uri, session: 7, authid: 'nobody', authmethod: 'wampcra', authextra: {} },
        peer: outside,
      })
      expect(answer).to.have.property('kind', 'challenge')
      expect(answer).to.have.nested.property('extra.iterations', 10)
    })
  })
})
