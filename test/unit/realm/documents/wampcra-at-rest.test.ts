/** WAMP-CRA secrets in the store: sealed, and stored where they are needed only. */
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

  it('stays as it is when a load names the same password, or none', async () => {
    await opened.realms.load({ uri, users })
    const first = storedIn(opened)
    for (const document of [{ uri, users }, opened.realms.get(uri)]) {
      await opened.realms.load(document)
      expect(storedIn(opened)).to.deep.equal(first)
    }
    expect(await logIn()).to.include({ authid: 'ada' })
  })
})
