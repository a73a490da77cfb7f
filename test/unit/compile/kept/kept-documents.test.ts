/** Documents that are served by their index: compiled when they are asked for, and forgotten when memory is needed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { compileDocument, compilingDocument } from '#component/compile/compile-document.ts'
import { indexOf } from '#component/compile/kept/api-index.ts'
import { IndexedDocument } from '#component/compile/kept/indexed-document.ts'
import { KeptDocuments } from '#component/compile/kept/kept-documents.ts'
import { SharedSchemas } from '#component/compile/schemas/shared-schemas.ts'
import type { Api, Route } from '#component/gateway/api.ts'
import { Families } from '#component/metrics/families.ts'
import { type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import { runAtOnce } from '#component/yielding.ts'
import { bodyOf, documentOf, FakeExchange, fixed, serve } from '#test/unit/gateway/fake-exchange.ts'

const ports = { callTimeout: 30_000 }

/** Bytes that each small document of these tests counts as, about; two of them have room. */
const room = 9_000

/** @param compile stands in for the compiler */
function open(
  maxBytes = room,
  compile = (document: unknown) => compilingDocument(document, ports),
) {
  const logged: unknown[][] = []
  const ahead: string[] = []
  const stale: string[] = []
  let compiled = 0
  const kept = new KeptDocuments({
    compile(document) {
      compiled += 1
      return compile(document)
    },
    maxBytes,
    yieldTurn: () => Promise.resolve(),
    log: { error: (...line: unknown[]) => void logged.push(line) },
    onStale: (id) => void stale.push(id),
    onCompiled: ([first]) => void ahead.push(first?.api ?? ''),
  })
  /** As a load makes it. */
  const load = (document: unknown) => runAtOnce(kept.indexing(document, apiOf(document)))
  /** As a start makes it, which has found its index in the store. */
  const find = (document: unknown): IndexedDocument => {
    const index = indexOf(apiOf(document), JSON.stringify(document).length)
    if (index === undefined) throw new TypeError('the document has no index')
    return kept.indexed(document, JSON.parse(JSON.stringify(index)))
  }
  return { kept, load, find, logged, ahead, stale, count: () => compiled }
}

function apiOf(document: unknown): Api {
  const { api, issues } = compileDocument(document, ports)
  if (api === undefined) throw new TypeError(JSON.stringify(issues))
  return api
}

const small = (id: string, more: object = {}) =>
  documentOf({ [`/${id}`]: { get: fixed(id), ...more } }, { id })

const tableOf = (...all: readonly { readonly entries: readonly RouteEntry<Route>[] }[]) =>
  RoutingTable.build(all.flatMap(({ entries }) => entries)).table

/** In a turn of its own, so that nothing of this one is on the stack. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  await new Promise((resolve) => setImmediate(resolve))
  collect()
}

/** What routing, clashes and conflicts read of an entry. */
const shown = ({ api, realm_uri, host, pattern, path, isShared, purpose }: RouteEntry<Route>) => ({
  ...{ api, realm_uri, host, pattern, path, isShared: isShared === true },
  purpose: isShared ? purpose : undefined,
})

describe('an indexed document', () => {
  const folder = join(import.meta.dirname, '..', '..', '..', 'cases', 'specs')
  const read = (file: string): unknown => JSON.parse(readFileSync(join(folder, file), 'utf8'))
  // one of the files is a list of realms
  for (const file of readdirSync(folder).filter((name) => !Array.isArray(read(name)))) {
    it(`routes as the compiled one does: ${file}`, () => {
      const document = read(file)
      const api = apiOf(document)
      const { find, count } = open()
      const indexed = find(document)
      expect(indexed.entries.map(shown)).to.deep.equal(api.entries.map(shown))
      expect(count(), 'nothing is compiled for it').to.equal(0)
      expect(indexed.entries.map(({ routes }) => Object.keys(routes))).to.deep.equal(
        api.entries.map(({ routes }) => Object.keys(routes)),
      )
      expect(indexed.features).to.deep.equal(api.features)
      expect(count()).to.equal(1)
    })
  }

  it('is the compiled one where its answers are streams of events, or are dropped by events', () => {
    const { load } = open()
    const stream = {
      action: { type: 'wamp_subscribe', topic: 'com.example.news' },
      response: { on_result: {}, on_error: {} },
    }
    const purged = { ...fixed(), cache: { ttl: 9, purge_on: [{ topic: 'com.example.gone' }] } }
    for (const get of [stream, purged]) {
      const document = documentOf({ '/x': { get } })
      expect(load(document)).not.to.be.instanceOf(IndexedDocument)
    }
    expect(load(small('a'))).to.be.instanceOf(IndexedDocument)
  })

  it('is the compiled one where compiling it would take long', () => {
    const { load } = open()
    const document = documentOf({ '/x': { get: fixed('x'.repeat(262_144)) } })
    expect(load(document)).not.to.be.instanceOf(IndexedDocument)
  })

  it('is compiled by its first request, and by no other one', async () => {
    const { find, count, ahead } = open()
    const served = serve(small('a'))
    served.use(tableOf(find(small('a'))))
    const replies = await Promise.all([served.ask('GET /v1/a'), served.ask('GET /v1/a')])
    expect([...replies, await served.ask('GET /v1/a')].map(bodyOf)).to.deep.equal(['a', 'a', 'a'])
    expect(count()).to.equal(1)
    expect(ahead, 'its schemas are compiled ahead').to.deep.equal(['a'])
  })

  it('tells its place to those who count a request that ends while it is compiled', async () => {
    const { find } = open()
    const served = serve(small('a'))
    served.use(tableOf(find(small('a'))))
    const exchange = new FakeExchange('GET /v1/a')
    const reply = served.handle(exchange)
    expect(exchange.served).to.deep.equal({ version: { api: 'a', label: '1.0' }, pattern: '/v1/a' })
    await reply
    expect(exchange.served?.pattern).to.equal('/v1/a')
  })

  it('answers by the document that its table has, whatever is loaded while it is compiled', async () => {
    const { find } = open()
    const served = serve(small('a'))
    served.use(tableOf(find(small('a'))))
    const reply = served.ask('GET /v1/a')
    served.use(tableOf())
    expect(bodyOf(await reply)).to.equal('a')
  })

  it('refuses other methods, and answers OPTIONS, as the compiled one does', async () => {
    const { find } = open()
    const [ours, theirs] = [serve(small('a')), serve(small('a'))]
    for (const line of ['DELETE /v1/a', 'OPTIONS /v1/a', 'HEAD /v1/a']) {
      ours.use(tableOf(find(small('a'))))
      const [one, other] = [await ours.ask(line), await theirs.ask(line)]
      expect([one.status, one.headers]).to.deep.equal([other.status, other.headers])
    }
  })

  it('is told, and unavailable, where it compiles to something else than its index says', async () => {
    const other = small('b')
    const { find, logged, stale } = open(room, () => compilingDocument(other, ports))
    const served = serve(small('a'))
    served.use(tableOf(find(small('a'))))
    const failure = await served.ask('GET /v1/a').catch((error: unknown) => error)
    expect(failure).to.include({ uri: 'service.error.unavailable' })
    expect(stale).to.deep.equal(['a'])
    expect(logged).to.deep.equal([
      [
        { api_spec: 'a', issues: [] },
        'the document compiles to something else than its index says: it is indexed again',
      ],
    ])
  })
})

describe('escaped slashes', () => {
  it('are known of paths that are not compiled', () => {
    const { find, count } = open()
    const forward = { action: { type: 'forward', host: 'http://up.example' }, response: {} }
    const keeping = { escaped_slashes: 'keep', get: forward }
    const document = documentOf({ '/a/:id': keeping, '/b/:id': { get: forward } })
    const { table } = RoutingTable.build(find(document).entries)
    expect(table.keepsSlashes('x', '/v1/a/b%2Fc')).to.equal(true)
    expect(table.keepsSlashes('x', '/v1/b/b%2Fc')).to.equal(false)
    expect(count()).to.equal(0)
  })
})

describe('compiled documents', () => {
  const isCompiled = (documents: readonly IndexedDocument[]) =>
    documents.filter(({ isCompiled }) => isCompiled).map(({ id }) => id)
  const read = ({ entries }: IndexedDocument): Route | undefined => entries[0]?.routes.get

  function three(maxBytes?: number) {
    const opened = open(maxBytes)
    const documents = ['a', 'b', 'c'].map((id) => opened.find(small(id)))
    return { ...opened, documents }
  }

  it('are forgotten once they are too many bytes: first those that were not read lately', () => {
    const { documents, kept } = three()
    const [a, b, c] = documents as [IndexedDocument, IndexedDocument, IndexedDocument]
    for (const document of [a, b, c]) read(document)
    expect(isCompiled(documents)).to.deep.equal(['b', 'c'])
    read(b)
    read(a)
    expect(isCompiled(documents), 'c was not read since').to.deep.equal(['a', 'b'])
    expect(kept.bytes).to.be.below(room)
  })

  it('are compiled again by their next request', () => {
    const { documents, count } = three(1)
    for (const document of [...documents, ...documents]) read(document)
    expect(count()).to.be.within(3, 6)
    expect(isCompiled(documents)).to.deep.equal([])
  })

  it('are the same as before while a request has a slot of one', async () => {
    const { documents, count } = three(1)
    const [a] = documents as [IndexedDocument]
    const pool = read(a)?.path.version.pool
    expect(a.isCompiled).to.equal(false)
    await collectGarbage()
    expect(read(a)?.path.version.pool === pool, 'the slots are the same').to.equal(true)
    expect(count()).to.equal(1)
  })

  it('of a load are kept as long as they are served', () => {
    const { kept, load } = open()
    const [a, b] = [load(small('a')), load(small('a'))]
    kept.follow({ added: [a.entries], removed: [] })
    const { bytes } = kept
    expect(bytes).to.be.above(0)
    kept.follow({ added: [b.entries], removed: [a.entries] })
    expect(kept.bytes).to.equal(bytes)
    kept.follow({ added: [], removed: [b.entries] })
    expect(kept.bytes).to.equal(0)
  })

  it('have their schemas compiled ahead only while they are compiled', async () => {
    const { find } = open()
    const clock = { now: () => 0, after: () => () => {} }
    const log = { warn: () => {}, error: () => {} }
    const schemas = new SharedSchemas({
      ...{ clock, families: new Families(clock), yieldTurn: async () => undefined },
      log: log as never,
    })
    const query_params = { type: 'object' }
    const document = find(documentOf({ '/x': { get: { ...fixed(), request: { query_params } } } }))
    await schemas.compileAhead({ added: [document.entries], removed: [] })
    expect(document.isCompiled).to.equal(false)
    read(document)
    await schemas.compileAhead({ added: [document.entries], removed: [] })
    expect(document.isCompiled).to.equal(true)
  })
})
