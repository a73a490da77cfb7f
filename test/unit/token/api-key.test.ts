/** API keys: shown once, kept as hashes, found by their text, ended one by one or with their user. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { ApiKeys } from '#component/token/api-key.ts'
import { broadcasting } from '#component/wiring/users.ts'
import { nodeOf, start } from '#test/unit/replica/doubles.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { otherRealm, realm_uri } from './doubles.ts'
import { MemoryKeyUses } from './memory-key-uses.ts'

async function openKeys(store = new MemoryStore()) {
  const { replica, clock } = await nodeOf('a', { store })
  const uses = new MemoryKeyUses()
  return { apiKeys: new ApiKeys({ replica, clock, uses }), replica, clock, uses }
}

async function issued() {
  const opened = await openKeys()
  return { ...opened, ...(await opened.apiKeys.issue(realm_uri, 'ada')) }
}

describe('an API key', () => {
  it('is found by its text', async () => {
    const { apiKeys, id, api_key, ts } = await issued()
    expect(api_key).to.match(new RegExp(`^gk_${id}_[\\w-]{43}$`))
    expect(ts).to.equal(start)
    expect(apiKeys.find(api_key)).to.deep.equal({ id, realm_uri, username: 'ada' })
  })

  it('tells whose it is by its id alone, as long as it is there', async () => {
    const { apiKeys, id } = await issued()
    expect(apiKeys.owner(id)).to.deep.equal({ id, realm_uri, username: 'ada' })
    await apiKeys.revoke(id)
    expect(apiKeys.owner(id)).to.equal(undefined)
  })

  it('is kept as a hash', async () => {
    const { replica, id, api_key } = await issued()
    const secret = api_key.slice(-43)
    expect(replica.get('api_key', id)?.document).to.deep.equal({
      realm_uri,
      username: 'ada',
      hash: createHash('sha256').update(secret).digest('hex'),
      created_at: start,
    })
  })

  it('is found by other processes of the same store, at once when they are told', async () => {
    const store = new MemoryStore()
    const other = await openKeys(store)
    const { replica, clock } = await nodeOf('a', { store })
    const shared = broadcasting(replica, () => other.replica.refresh())
    const apiKeys = new ApiKeys({ replica: shared, clock, uses: new MemoryKeyUses() })
    const { id, api_key } = await apiKeys.issue(realm_uri, 'ada')
    expect(other.apiKeys.find(api_key)?.id).to.equal(id)
    await apiKeys.revoke(id)
    expect(other.apiKeys.find(api_key)).to.equal(undefined)
  })

  it('is told when it was revoked, in other processes of the same store, too', async () => {
    const store = new MemoryStore()
    const [one, other] = [await openKeys(store), await openKeys(store)]
    const told: string[] = []
    for (const { apiKeys } of [one, other]) {
      apiKeys.start()
      apiKeys.onRevoked = (ids) => told.push(...ids)
    }
    const { id } = await one.apiKeys.issue(realm_uri, 'ada')
    await other.replica.refresh()
    expect(told).to.deep.equal([])
    await one.apiKeys.revoke(id)
    await other.replica.refresh()
    expect(told).to.deep.equal([id, id])
  })

  it('ends at its expiry, and tells when that is', async () => {
    const { apiKeys, clock } = await openKeys()
    const { id, api_key, exp } = await apiKeys.issue(realm_uri, 'ada', { lifetime: 60 })
    expect(exp).to.equal(start / 1_000 + 60)
    clock.ms = start + 59_999
    expect(apiKeys.find(api_key)).to.deep.equal({ id, realm_uri, username: 'ada', exp })
    clock.ms = start + 60_000
    expect([apiKeys.find(api_key), apiKeys.owner(id)]).to.deep.equal([undefined, undefined])
  })

  it('with an expiry is refused by a gateway of a version that knows no expiry', async () => {
    const { apiKeys, replica } = await openKeys()
    const { id, api_key } = await apiKeys.issue(realm_uri, 'ada', { lifetime: 60 })
    const expected = createHash('sha256').update(api_key.slice(-43)).digest('hex')
    expect(replica.get('api_key', id)?.document).to.have.property('hash').not.equal(expected)
  })

  it('keeps its end: another expiry in the store is not the one that it was made with', async () => {
    const { apiKeys, replica } = await openKeys()
    const { id, api_key, exp = 0 } = await apiKeys.issue(realm_uri, 'ada', { lifetime: 60 })
    const { exp: _, ...endless } = replica.get('api_key', id)?.document ?? {}
    for (const document of [{ ...endless, exp: exp + 60 }, endless]) {
      await replica.change('api_key', () => [{ id, document }])
      expect(apiKeys.find(api_key)).to.equal(undefined)
    }
  })

  it('with an expiry leaves nothing behind, also when it was revoked; one without leaves a tombstone', async () => {
    const { apiKeys, replica, clock } = await openKeys()
    const told: string[] = []
    apiKeys.start()
    apiKeys.onRevoked = (ids) => told.push(...ids)
    const [ended, revoked] = [
      await apiKeys.issue(realm_uri, 'ada', { lifetime: 60 }),
      await apiKeys.issue(realm_uri, 'ada', { lifetime: 60 }),
    ]
    const endless = await apiKeys.issue(realm_uri, 'ada')
    for (const { id } of [revoked, endless]) await apiKeys.revoke(id)
    expect(apiKeys.find(revoked.api_key)).to.equal(undefined)
    expect(told).to.deep.equal([revoked.id, endless.id])
    clock.ms = start + 300_000
    await replica.sweep()
    expect(replica.get('api_key', ended.id)).to.equal(undefined)
    expect(replica.get('api_key', revoked.id)).to.equal(undefined)
    expect(replica.get('api_key', endless.id)).to.have.property('document', null)
  })

  it('is gone once it was revoked', async () => {
    const { apiKeys, id, api_key } = await issued()
    const another = await apiKeys.issue(realm_uri, 'ada')
    await apiKeys.revoke(id)
    expect(apiKeys.find(api_key)).to.equal(undefined)
    expect(apiKeys.find(another.api_key)).to.not.equal(undefined)
  })

  it('cannot be revoked when there is none', async () => {
    const { apiKeys, id } = await issued()
    await apiKeys.revoke(id)
    for (const unknown of [id, 'unknown']) {
      const failed = await apiKeys.revoke(unknown).catch((error: unknown) => error)
      expect(failed).to.be.instanceOf(ServiceError).with.property('uri', 'service.error.not_found')
    }
  })

  it('goes with its user, and only with it', async () => {
    const { apiKeys, api_key } = await issued()
    const ofBob = await apiKeys.issue(realm_uri, 'bob')
    const elsewhere = await apiKeys.issue(otherRealm, 'ada')
    await apiKeys.revokeOfUsers([{ realm_uri, authid: 'ada' }])
    expect(apiKeys.find(api_key)).to.equal(undefined)
    expect(apiKeys.find(ofBob.api_key)?.username).to.equal('bob')
    expect(apiKeys.find(elsewhere.api_key)?.realm_uri).to.equal(otherRealm)
    await apiKeys.revokeOfUsers([{ realm_uri, authid: 'ada' }])
    await apiKeys.revokeOfUsers([])
  })

  it('is listed with those of its realm that hold, without its secret', async () => {
    const { apiKeys, id } = await issued()
    const revoked = await apiKeys.issue(realm_uri, 'ada')
    await apiKeys.revoke(revoked.id)
    await apiKeys.issue('com.example.elsewhere', 'ada')
    const [key, ...others] = apiKeys.list(realm_uri)
    expect(others).to.deep.equal([])
    expect(key).to.have.all.keys('id', 'username', 'ts')
    expect(key).to.include({ id, username: 'ada' })
  })

  it('has the name that it was made with, where it is listed, too', async () => {
    const { apiKeys } = await openKeys()
    const made = await apiKeys.issue(realm_uri, 'ada', { name: 'reports, nightly' })
    expect(made.name).to.equal('reports, nightly')
    const [key] = apiKeys.list(realm_uri)
    expect(key).to.include({ id: made.id, name: 'reports, nightly' })
    expect(apiKeys.find(made.api_key)).to.deep.equal({ id: made.id, realm_uri, username: 'ada' })
  })

  it('is used when it is found by its text, and neither by its id nor by a wrong text', async () => {
    const { apiKeys, id, api_key, uses } = await issued()
    apiKeys.owner(id)
    apiKeys.find(`${api_key.slice(0, -1)}-`)
    expect(await apiKeys.lastUses(realm_uri)).to.deep.equal(new Map())
    apiKeys.find(api_key)
    expect(uses.noted).to.deep.equal([[id, undefined]])
    expect(await apiKeys.lastUses(realm_uri)).to.deep.equal(new Map([[id, 1]]))
    expect(await apiKeys.lastUses(otherRealm)).to.deep.equal(new Map())
  })

  it('has no second spelling', async () => {
    const { apiKeys, id, api_key } = await issued()
    const secret = api_key.slice(-43)
    const other = secret.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))
    const texts = [
      '',
      id,
      secret,
      'gk_',
      `gk_${id}_`,
      `gk_${id}_${other}`,
      `gk_${id}_${secret}=`,
      `gk_${id}_${secret} `,
      `gk_${id}_${secret}\n`,
      ` gk_${id}_${secret}`,
      `GK_${id}_${secret}`,
      `gk_${id}_${secret.slice(1)}`,
      `gk_${'A'.repeat(12)}_${secret}`,
      `gk_${'__proto__'.padEnd(12, '_')}_${secret}`,
    ]
    expect(texts.map((text) => apiKeys.find(text))).to.deep.equal(texts.map(() => undefined))
  })
})
