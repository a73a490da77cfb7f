/** sync: a gateway serves what a folder of API Specifications says. */
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { documentOf, FolderFixture } from './folder-fixture.ts'

describe('wamp-gateway sync', () => {
  const fixture = new FolderFixture()
  const write = fixture.write.bind(fixture)
  const run = fixture.run.bind(fixture)
  const ask = fixture.ask.bind(fixture)
  const bodyOf = fixture.bodyOf.bind(fixture)
  const outcomesOf = ({ value }: { value: { documents: { id: string; outcome: string }[] } }) =>
    value.documents.map(({ id, outcome }) => `${outcome} ${id}`)

  before(() => fixture.start())
  after(() => fixture.stop())
  beforeEach(() => fixture.begin())
  afterEach(() => fixture.end())

  it('loads what is new or changed, once, and leaves the others alone', async () => {
    await fixture.gateway.load(documentOf('com.example.other', { '/other': 1 }))
    write('a.json', documentOf('com.example.a', { '/a': 1 }))
    write('b.json', documentOf('com.example.b', { '/b': 1 }))
    const first = await ask('sync')
    expect([first.code, outcomesOf(first)]).to.deep.equal([
      0,
      ['created com.example.a', 'created com.example.b'],
    ])
    write('b.json', documentOf('com.example.b', { '/b': 2 }))
    const second = await ask('sync')
    expect(outcomesOf(second)).to.deep.equal(['changed com.example.b', 'same com.example.a'])
    expect(await Promise.all(['/a', '/b', '/other'].map(bodyOf))).to.deep.equal([1, 2, 1])
  })

  it('changes nothing when one document is refused, and says where', async () => {
    write('a.json', documentOf('com.example.a', { '/a': 1 }))
    write('b.json', documentOf('com.example.b', { '/b': '{{nonsense}}' }))
    const { code, value } = await ask('sync')
    expect(code).to.equal(1)
    expect(value.documents).to.have.length(1)
    const [{ outcome, error, findings }] = value.documents
    expect([outcome, error]).to.deep.equal(['refused', 'wamp.error.invalid_argument'])
    expect(findings[0].path).to.equal('/versions/1/paths/~1b/get/action/body')
    expect(await bodyOf('/a')).to.equal(404)
  })

  it('loads a new realm before the API Specifications of it, and changes nothing when the realm is wrong', async () => {
    const uri = 'com.example.ofsync'
    write('a.json', documentOf('com.example.a', { '/a': 1 }, { realm_uri: uri }))
    write('z.yaml', { uri, users: [{}] })
    const refused = await ask('sync')
    expect([refused.code, outcomesOf(refused)]).to.deep.equal([1, [`refused ${uri}`]])
    expect(await bodyOf('/a')).to.equal(404)
    write('z.yaml', { uri })
    const { code, value } = await ask('sync')
    expect([code, outcomesOf({ value })]).to.deep.equal([
      0,
      [`created ${uri}`, 'created com.example.a'],
    ])
    expect(await bodyOf('/a')).to.equal(1)
    rmSync(fixture.path('z.yaml'))
    expect(outcomesOf(await ask('sync', '--owner', 'team', '--yes'))).to.deep.equal([
      'changed com.example.a',
    ])
    const realm = await send(fixture.gateway.adminUrl, `/realms/${uri}`)
    expect(realm.status).to.equal(200)
  })

  it('--dry-run says what would change, and changes nothing', async () => {
    write('a.json', documentOf('com.example.a', { '/a': 1 }))
    const { code, value } = await ask('sync', '--dry-run')
    expect([code, value.is_dry_run]).to.deep.equal([0, true])
    expect(value.documents[0].outcome).to.equal('created')
    expect(await bodyOf('/a')).to.equal(404)
  })

  it('moves routes between documents, whatever the order of their files', async () => {
    write('a.json', documentOf('com.example.a', { '/one': 'a' }))
    write('b.json', documentOf('com.example.b', { '/two': 'b' }))
    write('c.json', documentOf('com.example.c', { '/three': 'c' }))
    await run('sync')
    write('a.json', documentOf('com.example.a', { '/two': 'a' }))
    write('b.json', documentOf('com.example.b', { '/three': 'b' }))
    write('c.json', documentOf('com.example.c', { '/four': 'c' }))
    const { code } = await ask('sync')
    expect(code).to.equal(0)
    expect(await Promise.all(['/one', '/two', '/three', '/four'].map(bodyOf))).to.deep.equal([
      ...[404, 'a', 'b', 'c'],
    ])
  })

  it('changes nothing when a route belongs to a document that keeps it', async () => {
    await fixture.gateway.load(documentOf('com.example.other', { '/mine': 'other' }))
    write('a.json', documentOf('com.example.a', { '/a': 1 }))
    write('b.json', documentOf('com.example.b', { '/mine': 'b' }))
    const { code, value } = await ask('sync')
    expect(code).to.equal(1)
    expect(value.documents[0].error).to.equal('service.error.already_exists')
    expect([await bodyOf('/a'), await bodyOf('/mine')]).to.deep.equal([404, 'other'])
  })

  it('refuses documents that only swap their routes, after as many tries as help', async () => {
    write('a.json', documentOf('com.example.a', { '/one': 'a' }))
    write('b.json', documentOf('com.example.b', { '/two': 'b' }))
    await run('sync')
    write('a.json', documentOf('com.example.a', { '/two': 'a' }))
    write('b.json', documentOf('com.example.b', { '/one': 'b' }))
    const answer = await ask('sync')
    expect(answer.code).to.equal(1)
    expect(outcomesOf(answer)).to.deep.equal(['refused com.example.a', 'refused com.example.b'])
    expect([await bodyOf('/one'), await bodyOf('/two')]).to.deep.equal(['a', 'b'])
  })

  describe('--owner', () => {
    const owner = ['--owner', 'team']

    it('marks documents, and deletes those with its mark only', async () => {
      await fixture.gateway.load(documentOf('com.example.other', { '/other': 1 }))
      await fixture.gateway.load(
        documentOf('com.example.theirs', { '/t': 1 }, { meta: { managed_by: 'x' } }),
      )
      for (const name of ['a', 'b', 'c'])
        write(
          `${name}.json`,
          documentOf(`com.example.${name}`, { [`/${name}`]: 1 }, { meta: { k: 1 } }),
        )
      await run('sync', ...owner)
      expect((await fixture.read('com.example.a')).document.meta).to.deep.equal({
        k: 1,
        managed_by: 'team',
      })
      expect((await run('diff', ...owner)).code).to.equal(0)
      rmSync(fixture.path('b.json'))
      expect((await ask('diff', ...owner)).value.deleted).to.deep.equal(['com.example.b'])
      const answer = await ask('sync', ...owner)
      expect([answer.code, outcomesOf(answer)[0]]).to.deep.equal([0, 'deleted com.example.b'])
      const found = await Promise.all(['/a', '/b', '/c', '/other', '/t'].map(bodyOf))
      expect(found).to.deep.equal([1, 404, 1, 1, 1])
    })

    it('without it nothing is deleted', async () => {
      write('a.json', documentOf('com.example.a', { '/a': 1 }))
      await run('sync', ...owner)
      rmSync(fixture.path('a.json'))
      expect((await run('sync', '--yes')).code).to.equal(0)
      expect(await bodyOf('/a')).to.equal(1)
    })

    it('deletes more than half of the documents with --yes only', async () => {
      for (const name of ['a', 'b', 'c'])
        write(`${name}.json`, documentOf(`com.example.${name}`, { [`/${name}`]: 1 }))
      await run('sync', ...owner)
      rmSync(fixture.path('a.json'))
      rmSync(fixture.path('b.json'))
      write('c.json', documentOf('com.example.c', { '/c': 2 }))
      const { code, err } = await run('sync', ...owner)
      expect([code, err]).to.deep.equal([
        1,
        '2 of the 3 documents of the owner "team" would be deleted: --yes allows it\n',
      ])
      expect([await bodyOf('/a'), await bodyOf('/c')]).to.deep.equal([1, 1])
      expect((await run('sync', ...owner, '--yes')).code).to.equal(0)
      expect([await bodyOf('/a'), await bodyOf('/c')]).to.deep.equal([404, 2])
    })

    it('lets a document have the routes of one that is deleted', async () => {
      for (const name of ['a', 'b'])
        write(`${name}.json`, documentOf(`com.example.${name}`, { [`/${name}`]: name }))
      await run('sync', ...owner)
      rmSync(fixture.path('a.json'))
      write('renamed.json', documentOf('com.example.renamed', { '/a': 'renamed' }))
      const answer = await ask('sync', ...owner)
      expect([answer.code, outcomesOf(answer)]).to.deep.equal([
        0,
        ['deleted com.example.a', 'created com.example.renamed', 'same com.example.b'],
      ])
      expect(await bodyOf('/a')).to.equal('renamed')
    })
  })
})
