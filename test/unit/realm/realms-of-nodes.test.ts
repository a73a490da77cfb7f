/** Realm documents of several nodes: in force here as a whole, or not at all. */
import { expect } from 'chai'
import { type Document, type Entry, hashOf } from '#component/replica/entry.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { policyOver, realmsWith } from './doubles.ts'

const realmOf = (document: Document & { uri: string }, ms: number): Entry => ({
  kind: 'realm',
  id: document.uri,
  stamp: { ms, counter: 0, node: 'n2' },
  parent: null,
  hash: hashOf(document),
  document,
})

const hello = (realm: string) => ({
  realm,
  authmethod: 'anonymous',
  authid: 'ada',
  session: 1,
  authextra: {},
  peer: { address: '127.0.0.1', isInProcess: false },
})

const base = realmOf({ uri: 'base', grants: [], authmethods: ['ticket'] }, 100)
const top = realmOf({ uri: 'top', prototype_uri: 'base' }, 200)

describe('a realm that another node has loaded', () => {
  it('is there with what it inherits, whatever the order of arrival', async () => {
    for (const order of [
      [base, top],
      [top, base],
    ]) {
      const { realms, replica } = await realmsWith()
      for (const entry of order) await replica.merge([entry])
      expect(realms.realm('top')).to.deep.include({ authmethods: ['ticket'], grants: [] })
      expect(realms.list().map(({ uri }) => uri)).to.deep.equal(['base', 'top'])
    }
  })

  it('takes no sessions and grants nothing until its prototype is there, and says so once', async () => {
    const { realms, replica, logged } = await realmsWith()
    const policy = policyOver(realms)
    await replica.merge([top])
    // what it says alone would admit everybody, and grant everything
    expect(policy.hasRealm('top')).to.equal(false)
    expect(await policy.authenticate(hello('top'))).to.include({ kind: 'refuse' })
    const member = { realm: 'top', authid: 'ada', authroles: ['anonymous'] }
    expect(policy.isAllowed(member, 'call', 'com.example.x')).to.equal(false)
    await realms.load({ uri: 'other' }) // builds all of them anew
    const reports = () =>
      logged.filter(([, message]) => message === 'the realm accepts no sessions')
    expect(reports().map(([line]) => line)).to.deep.equal([
      { realm: 'top', reason: 'its prototype base is not known to this node' },
    ])
    await replica.merge([base])
    expect(policy.hasRealm('top')).to.equal(true)
    expect(policy.isAllowed(member, 'call', 'com.example.x')).to.equal(false)
    expect(reports()).to.have.length(1)
  })

  it('grants its members nothing without its prototype, on the realm of the component either', async () => {
    const { realms, replica } = await realmsWith()
    await replica.merge([realmOf({ uri: 'service.gateway', prototype_uri: 'base' }, 100)])
    const member = { realm: 'service.gateway', authid: 'ada', authroles: ['ada'] }
    expect(policyOver(realms).isAllowed(member, 'call', 'service.load_api_spec')).to.equal(false)
  })

  it('is closed when two nodes have made it inherit from itself', async () => {
    const { realms, replica, logged } = await realmsWith()
    await realms.load([{ uri: 'a' }, { uri: 'b' }, { uri: 'c' }])
    await realms.load({ uri: 'a', prototype_uri: 'b' })
    await replica.merge([realmOf({ uri: 'b', prototype_uri: 'a' }, 2_000)])
    const policy = policyOver(realms)
    expect(['a', 'b', 'c'].map((uri) => policy.hasRealm(uri))).to.deep.equal([false, false, true])
    expect(realms.realm('a')?.grants).to.deep.equal([])
    expect(JSON.stringify(logged)).to.include('inherit from each other')
  })

  it('is told to whoever goes by it, and ends when another node deletes it', async () => {
    const { realms, replica } = await realmsWith()
    const told: (readonly string[])[] = []
    realms.onChange = (uris) => void told.push(uris)
    await replica.merge([base, top])
    expect(told).to.deep.equal([['base', 'top']])
    await replica.merge([{ ...realmOf({ uri: 'top' }, 300), hash: null, document: null }])
    expect(realms.has('top')).to.equal(false)
    expect(() => realms.get('top')).to.throw('no realm has this URI')
    expect(told).to.have.length(2)
  })

  it('is closed when its document is that of another one', async () => {
    const { realms, replica } = await realmsWith()
    await replica.merge([{ ...realmOf({ uri: 'x' }, 100), id: 'y' }])
    expect(realms.realm('y')).to.deep.include({ uri: 'y', allow_connections: false, grants: [] })
  })
})

describe('realms.load, beside another process', () => {
  it('is judged again when the other was faster, and hashes no password again', async () => {
    const store = new MemoryStore()
    const other = await realmsWith({}, store)
    await other.realms.load({ uri: 'a' })
    const mine = await realmsWith({}, store)
    const drafts: { readonly users?: unknown }[] = []
    let isOver = false
    store.before = async (method) => {
      if (method !== 'replace' || isOver) return
      isOver = true
      await other.realms.load({ uri: 'a', description: 'faster' })
    }
    const { replica } = mine
    const change = replica.change.bind(replica)
    replica.change = (kind, decide) =>
      change(kind, async () => {
        const decided = await decide()
        drafts.push(...decided.map(({ document }) => document ?? {}))
        return decided
      })
    const [loaded] = await mine.realms.load({ uri: 'a', users: [{ username: 'u', password: 'p' }] })
    expect(loaded).to.include({ uri: 'a', isNew: false })
    expect(drafts).to.have.length(2)
    expect(drafts[0]?.users).to.deep.equal(drafts[1]?.users)
    expect(mine.realms.realm('a')?.users.get('u')?.password).to.have.property('argon2id')
  })

  it('is refused when the other has made its prototype inherit from it', async () => {
    const store = new MemoryStore()
    const other = await realmsWith({}, store)
    await other.realms.load([{ uri: 'a' }, { uri: 'b' }])
    const mine = await realmsWith({}, store)
    let isOver = false
    store.before = async (method) => {
      if (method !== 'replace' || isOver) return
      isOver = true
      await other.realms.load([
        { uri: 'b', prototype_uri: 'a' },
        { uri: 'a', description: 'x' },
      ])
    }
    const refusal = await mine.realms
      .load({ uri: 'a', prototype_uri: 'b' })
      .catch((cause: unknown) => cause)
    expect(refusal).to.have.nested.property('issues[0].path', '/prototype_uri')
    expect(mine.realms.get('a')).to.include({ description: 'x' })
  })

  it('changes nothing when the store is away', async () => {
    const { realms, store } = await realmsWith()
    await realms.load({ uri: 'a', description: 'old' })
    store.isAway = true
    const refusal = await realms
      .load([{ uri: 'a', description: 'new' }, { uri: 'b' }])
      .catch((cause: unknown) => cause)
    expect(refusal).to.include({ uri: 'service.error.unavailable' })
    expect(realms.list()).to.deep.equal([{ uri: 'a', description: 'old', ts: 1_000 }])
  })
})
