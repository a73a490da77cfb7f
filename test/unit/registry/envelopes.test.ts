/** Documents that need what gateways of an earlier version do not know: kept so that these cannot serve them unchecked. */
import { expect } from 'chai'
import { hashOf } from '#component/replica/entry.ts'
import { envelopeOf } from '#component/replica/envelope.ts'
import { compileReal, document, registryWith } from './doubles.ts'

const plain = document('a')
const checked = (id = 'a', type = 'integer') => {
  const base = document(id)
  const query_params = { properties: { page: { type } } }
  const version = base.versions['1.0']
  const paths = { '/x': { ...version.paths['/x'], request: { query_params } } }
  return { ...base, versions: { '1.0': { ...version, paths } } }
}

describe('a document that needs a feature', () => {
  it('is replicated in an envelope that no earlier gateway compiles', async () => {
    const { registry, replica } = await registryWith()
    await registry.load(checked())
    const [entry] = replica.entries('api_spec')
    expect(entry?.document).to.deep.equal({
      ...{ id: 'a', host: '_', realm_uri: 'com.example.test' },
      features: ['request'],
      hash: hashOf(checked()),
      document: checked(),
    })
    expect(entry?.hash).to.equal(hashOf(entry?.document ?? {}))
    const { api, issues } = compileReal(entry?.document)
    expect(api).to.equal(undefined)
    expect(issues.map(({ path }) => path)).to.deep.equal(['/versions'])
  })

  it('is shown, and named by its hash, as it was loaded', async () => {
    const { registry, serves, events } = await registryWith()
    const { hash, ts } = await registry.load(checked())
    expect(hash).to.equal(hashOf(checked()))
    expect(registry.get('a')).to.deep.equal({ document: { ...checked(), ts }, hash })
    const file = { document: checked(), by: 'a file', hash }
    expect(await registry.loadUnlessThere([file])).to.deep.equal([
      { status: 'fulfilled', value: undefined },
    ])
    expect(serves('/v1/x')).to.equal('a')
    expect(events).to.deep.equal([])
  })

  it('stands in the history as it was loaded, and can be gone back to', async () => {
    const { registry } = await registryWith()
    const first = await registry.load(checked())
    const second = await registry.load(plain, 'ada', { ifMatch: [first.hash] })
    const versions = await registry.history.list('a')
    expect(versions.map(({ hash }) => hash)).to.deep.equal([second.hash, first.hash])
    const differences = await registry.history.differences('a', first.hash, undefined)
    expect(differences.map(({ path }) => path)).to.deep.equal(['/versions/1.0/paths/~1x/request'])
    expect((await registry.rollback('a', first.hash)).hash).to.equal(first.hash)
  })

  it('is served after a restart', async () => {
    const { store, registry } = await registryWith()
    const { hash } = await registry.load(checked())
    const again = await registryWith({ store })
    expect(again.serves('/v1/x')).to.equal('a')
    expect(again.registry.get('a').hash).to.equal(hash)
  })

  it('is not put into an envelope where it needs nothing', async () => {
    const { registry, replica } = await registryWith()
    await registry.load({ ...checked(), defaults: { validate_requests: 'log' } })
    expect(replica.entries('api_spec')[0]?.document).to.have.property('versions')
  })

  it('is loaded with a warning where another gateway does not know it', async () => {
    const { registry } = await registryWith({
      nodesWithout: (names) => names.map((name) => `b-${name}`),
    })
    expect((await registry.load(plain)).warnings).to.deep.equal([])
    expect((await registry.load(checked())).warnings).to.deep.equal([
      {
        path: '',
        message:
          'b-request cannot serve a document with request, and goes on to serve the version before it, if there is one: upgrade all gateways of the cluster',
      },
    ])
  })
})

describe('a document that needs what this gateway does not know', () => {
  it('is not served: the version before it is, and the conflict is told', async () => {
    const { registry, replica, serves, logged } = await registryWith()
    const { ts } = await registry.load(plain)
    const next = document('a', ['/y'])
    const envelope = envelopeOf(next, hashOf(next), ['request', 'time_travel'])
    const stamp = { ms: 2_000, counter: 0, node: 'node-2' }
    const entry = {
      kind: 'api_spec',
      id: 'a',
      stamp,
      parent: null,
      hash: hashOf(envelope),
      document: envelope,
    } as const
    expect((await replica.merge([entry])).merged).to.equal(1)
    expect([serves('/v1/x'), serves('/v1/y')]).to.deep.equal(['a', undefined])
    expect(registry.conflicts()).to.deep.equal([
      {
        id: 'a',
        ts: 2_000,
        hash: hashOf(next),
        node: 'node-2',
        reason: 'does_not_compile',
        serves: ts,
      },
    ])
    const issues = logged.flatMap(([line]) => (line as { issues?: unknown[] }).issues ?? [])
    expect(issues).to.deep.equal([
      {
        path: '',
        message: 'this gateway does not know time_travel, which the document needs: upgrade it',
      },
    ])
  })
})
