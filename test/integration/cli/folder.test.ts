/** diff and export: a folder of API Specifications beside a gateway, and the hashes of both. */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { expect } from 'chai'
import { readFolder } from '#component/cli/folder/folder.ts'
import { send } from '#test/support/http-request.ts'
import { documentOf, type Fields, FolderFixture } from './folder-fixture.ts'

describe('a folder of API Specifications', () => {
  const fixture = new FolderFixture()
  const write = fixture.write.bind(fixture)
  const run = fixture.run.bind(fixture)
  const ask = fixture.ask.bind(fixture)

  before(() => fixture.start())
  after(() => fixture.stop())
  beforeEach(() => fixture.begin())
  afterEach(() => fixture.end())

  describe('hashes', () => {
    for (const [what, text] of [
      ['integers beyond 2^53', '{"big": 9007199254740993, "most": 18446744073709551615}'],
      [
        'floats',
        '{"a": 1.0, "b": 1e21, "c": -0.0, "d": 0.1, "e": 1E-7, "f": 100000000000000000000.0}',
      ],
      ['keys in another order', '{"z": 1, "a": {"é": 1, "b": 2}, "10": 1, "9": 2}'],
      ['texts with escapes', '{"a": "\\u00e9\\ud83d\\ude00\\n\\/", "b": ""}'],
    ] as const) {
      it(`of a document with ${what} are those of the gateway`, async () => {
        const members = JSON.stringify(documentOf('com.example.hashed', { '/hashed': 1 })).slice(
          1,
          -1,
        )
        write('a.json', `{"meta": ${text}, ${members}}`)
        expect((await run('sync')).code).to.equal(0)
        write('a.json', `{${members}, "meta": ${text}}`)
        const { code, value } = await ask('diff')
        expect([code, value.same.length]).to.deep.equal([0, 1])
        const [source] = readFolder(fixture.folder, undefined).documents
        expect((await fixture.read('com.example.hashed')).hash).to.equal(source?.hash)
      })
    }

    it('of a document whose versions are a list are those of the gateway', async () => {
      const { versions, ...rest } = documentOf('com.example.list', { '/list': 1 })
      const [version] = Object.values(versions as Fields)
      write('a.json', { ...rest, versions: [{ ...(version as Fields), version: '1' }] })
      expect((await run('sync')).code).to.equal(0)
      expect((await run('diff')).code).to.equal(0)
    })

    it('leave out ts, which management adds', async () => {
      write('a.json', documentOf('com.example.ts', { '/ts': 1 }))
      await run('sync')
      write('a.json', (await fixture.read('com.example.ts')).document)
      expect((await run('diff')).code).to.equal(0)
    })
  })

  describe('diff', () => {
    it('tells created, changed, same and unmanaged documents, and changes nothing', async () => {
      write('a.json', documentOf('com.example.a', { '/a': 1, '/b': 2 }))
      write('c.yaml', documentOf('com.example.c', { '/c': 1 }))
      await run('sync')
      await fixture.gateway.load(documentOf('com.example.other', { '/other': 1 }))
      write('a.json', documentOf('com.example.a', { '/a': 7, '/n/~m': 3 }))
      write('b.json', documentOf('com.example.b', { '/x': 1 }))
      const { code, value } = await ask('diff')
      const action = (path: string) => `/versions/1/paths/${path}`
      expect(code).to.equal(1)
      expect(value.created).to.deep.equal([{ id: 'com.example.b', file: fixture.path('b.json') }])
      expect(value.same).to.deep.equal([{ id: 'com.example.c', file: fixture.path('c.yaml') }])
      expect([value.deleted, value.unmanaged]).to.deep.equal([[], ['com.example.other']])
      const [{ id, hash, changes }] = value.changed
      expect(id).to.equal('com.example.a')
      expect(hash).to.equal((await fixture.read('com.example.a')).hash)
      expect(changes.map(({ path, kind }: Fields) => [path, kind])).to.deep.equal([
        [action('~1a/get/action/body'), 'changed'],
        [action('~1n~1~0m'), 'added'],
        [action('~1b'), 'removed'],
      ])
      expect([changes[0].from, changes[0].to]).to.deep.equal([1, 7])
      expect(await fixture.bodyOf('/a')).to.equal(1)
    })

    it('--patch prints a unified diff', async () => {
      write('a.json', documentOf('com.example.a', { '/a': 1 }))
      await run('sync')
      write('a.json', documentOf('com.example.a', { '/a': 2 }))
      const { code, out } = await run('diff', '--patch')
      expect(code).to.equal(1)
      expect(out)
        .to.include(`--- gateway/com.example.a\n+++ ${fixture.path('a.json')}\n@@ -`)
        .and.match(/^- {14}"body": 1,\n\+ {14}"body": 2,\n {15}"type": "static"$/m)
    })

    it('compares a realm without its secrets, beside an API Specification of the same name', async () => {
      const uri = 'com.example.both'
      const realm = { uri, users: [{ username: 'ada', password: '${' + 'ADA' + '}' }] }
      process.env.ADA = 'first'
      write('a.json', documentOf(uri, { '/both': 1 }, { realm_uri: uri }))
      write('b.json', realm)
      expect((await run('sync')).code).to.equal(0)
      delete process.env.ADA
      expect((await run('diff')).code).to.equal(0)
      write('b.json', { ...realm, users: [{ username: 'ada', groups: ['staff'] }] })
      const { code, value } = await ask('diff')
      expect(code).to.equal(1)
      const [{ id, changes }] = value.changed
      expect([id, changes]).to.deep.equal([
        uri,
        [{ path: '/users/0/groups', kind: 'added', to: ['staff'] }],
      ])
      expect((await run('sync')).code).to.equal(0)
      expect((await run('diff')).code).to.equal(0)
      const { users } = (await fixture.read(uri, 'realms')).document as { users: Fields[] }
      expect(users).to.deep.equal([{ username: 'ada', groups: ['staff'] }])
      const deleted = await send(fixture.gateway.adminUrl, `/api_specs/${uri}`, {
        method: 'DELETE',
      })
      expect(deleted.status).to.equal(204)
      await send(fixture.gateway.adminUrl, `/realms/${uri}`, { method: 'DELETE' })
    })

    for (const [what, files, code] of [
      ['a file of no id', { 'a.json': '{"host": "_"}' }, 1],
      ['a list of documents', { 'a.json': '[{"id": "a"}]' }, 1],
      ['two files of one id', { 'a.json': '{"id": "a"}', 'b.yml': 'id: a' }, 1],
      ['a file that is no JSON', { 'a.json': '{"id": "a"}', 'b.json': '{' }, 65],
    ] as const) {
      it(`has a finding for ${what} and ends with ${code}, as sync does`, async () => {
        for (const [name, text] of Object.entries(files)) write(name, text)
        for (const command of ['diff', 'sync']) {
          const answer = await ask(command)
          expect(answer.code).to.equal(code)
          expect(answer.value.findings).to.have.length(1)
          expect(answer.value.findings[0].place.line).to.equal(1)
        }
      })
    }

    it('leaves out other files, hidden files and folders, and ends with 66 without a folder', async () => {
      write('README.md', '#')
      write('.hidden.json', '{')
      mkdirSync(fixture.path('more.json'))
      expect((await run('diff')).code).to.equal(0)
      rmSync(fixture.folder, { recursive: true })
      expect((await run('diff')).code).to.equal(66)
    })
  })

  describe('export', () => {
    it('writes what diff finds to be the same, whatever characters an id has', async () => {
      const ids = ['com.example.a', 'com.example:b 1', '..', '.hidden', '-x', 'x'.repeat(255)]
      for (const [at, id] of ids.entries()) {
        const { status } = await fixture.gateway.load(documentOf(id, { [`/export${at}`]: at }))
        expect(status, id).to.equal(201)
      }
      const { code, out } = await run('export')
      expect(code).to.equal(0)
      expect(out.split('\n')).to.have.length(readdirSync(fixture.folder).length + 1)
      expect(readdirSync(fixture.folder)).to.include.members([
        ...['com.example.a.json', 'com.example%3Ab%201.json', '%2E..json', '%2Ehidden.json'],
      ])
      const { value } = await ask('diff')
      const realms = readdirSync(fixture.folder).filter((name) => name.endsWith('~realm.json'))
      expect(realms).to.include('com.example.test~realm.json')
      expect([value.same.length, value.created, value.changed, value.unmanaged]).to.deep.equal([
        ...[ids.length + realms.length, [], [], []],
      ])
    })

    it('keeps the order of keys and every digit', async () => {
      const text = `{"meta": {"z": 18446744073709551615, "a": 1}, ${JSON.stringify(documentOf('com.example.order', { '/order': 1 })).slice(1)}`
      write('a.json', text)
      await run('sync')
      await run('export')
      const exported = readFileSync(fixture.path('com.example.order.json'), 'utf8')
      expect(exported.replaceAll(/\s+/g, '')).to.equal(text.replaceAll(/\s+/g, ''))
    })
  })
})
