/** Which loads of documents with `idempotency` warn of the configured store. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { withStoreWarning } from '#component/wiring/documents/store-warning.ts'
import { documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'

const compiled = (path: object) =>
  compileDocument(documentOf({ '/x': { ...path, post: fixed() } }), { callTimeout: 30_000 })
const kept = compiled({ idempotency: {} })

describe('a document with idempotency', () => {
  for (const [url, others, wanted] of [
    [undefined, 0, undefined],
    ['sqlite:/var/lib/gateway.db', 0, undefined],
    ['postgres://me@db/app', 2, undefined],
    [undefined, 1, 'PostgreSQL'],
    ['sqlite:/var/lib/gateway.db', 2, 'PostgreSQL'],
    ['sqlite::memory:', 0, 'in memory'],
  ] as const) {
    const store = url ?? 'the default store'
    it(`is loaded ${wanted ? 'with' : 'without'} a warning beside ${others} others on ${store}`, () => {
      const messages = withStoreWarning(kept, url, others).warnings.map(({ message }) => message)
      if (wanted === undefined) expect(messages).to.deep.equal([])
      else expect(messages.join()).to.include(wanted)
    })
  }

  it('alone is warned of', () => {
    const plain = compiled({})
    expect(withStoreWarning(plain, 'sqlite::memory:', 3)).to.equal(plain)
  })

  it('is warned of a method that knows no key where that is written at the operation', () => {
    const operation = { ...fixed(), idempotency: {} }
    const document = documentOf({ '/x': { get: operation, put: operation, post: operation } })
    const { warnings } = compileDocument(document, { callTimeout: 30_000 })
    expect(warnings.map(({ path }) => path)).to.deep.equal([
      '/versions/1.0/paths/~1x/get/idempotency',
      '/versions/1.0/paths/~1x/put/idempotency',
    ])
    expect(warnings[0]?.message).to.include('GET').and.to.include('POST and PATCH')
  })
})
