/** The bounds of what is kept, and what purging drops. */
import { expect } from 'chai'
import { CodedContent } from '#component/policies/cache/coded-content.ts'
import { type Kept, ResponseCache } from '#component/policies/cache/response-cache.ts'

const keptOf = (content: string, varied: Kept['varied'] = []): Kept => ({
  ...{ status: 200, headers: {}, marked: [], content, codings: new CodedContent(), varied, at: 0 },
  ...{ ageMs: 0, freshUntil: 1 },
  ...{ mayBeStale: true, isForAll: false },
})

/** Keeps an answer. @returns whether it is kept */
function keep(cache: ResponseCache, base: string, content: string, labels: readonly string[] = []) {
  const fill = cache.begin(labels)
  const isKept = cache.keep(base, keptOf(content), () => undefined, fill)
  cache.end(fill)
  return isKept
}

const contentOf = (cache: ResponseCache, base: string) =>
  cache.find(cache.keyOf(base, () => undefined))?.content

describe('the response cache', () => {
  it('keeps at most its bytes: what was used least recently goes', () => {
    const cache = new ResponseCache({ maxBytes: 60_000, maxEntryBytes: 20_000 })
    const body = 'a'.repeat(15_000)
    for (const base of ['1', '2', '3']) keep(cache, base, body)
    contentOf(cache, '1')
    keep(cache, '4', body)
    expect(['1', '2', '3', '4'].map((base) => contentOf(cache, base) === body)).to.deep.equal([
      true,
      false,
      true,
      true,
    ])
  })

  it('keeps nothing that is larger than an entry may be, and forgets what it had in its place', () => {
    const cache = new ResponseCache({ maxBytes: 60_000, maxEntryBytes: 20_000 })
    expect(keep(cache, '1', 'a')).to.equal(true)
    expect(keep(cache, '1', 'a'.repeat(22_000))).to.equal(false)
    expect(contentOf(cache, '1')).to.equal(undefined)
  })

  it('drops what has a label, and keeps no answer of a run that was under way', () => {
    const cache = new ResponseCache({ maxBytes: 60_000, maxEntryBytes: 20_000 })
    keep(cache, '1', 'a', ['x', 'y'])
    keep(cache, '2', 'b', ['y'])
    const fill = cache.begin(['x'])
    expect(cache.purge('x')).to.equal(1)
    expect([contentOf(cache, '1'), contentOf(cache, '2')]).to.deep.equal([undefined, 'b'])
    expect(cache.keep('1', keptOf('old'), () => undefined, fill)).to.equal(false)
    cache.end(fill)
    expect(keep(cache, '1', 'new', ['x'])).to.equal(true)
    expect(cache.purge('z')).to.equal(0)
    const other = cache.begin([])
    cache.clear()
    expect([contentOf(cache, '1'), contentOf(cache, '2'), other.isVoid]).to.deep.equal([
      undefined,
      undefined,
      true,
    ])
  })

  it('tells answers apart by all fields that any answer of the place has named', () => {
    const cache = new ResponseCache({ maxBytes: 60_000, maxEntryBytes: 20_000 })
    const put = (content: string, names: readonly string[], fields: Record<string, string>) => {
      const varied = names.map((name) => [name, fields[name]] as const)
      const fill = cache.begin([])
      cache.keep('1', keptOf(content, varied), (name) => fields[name], fill)
      cache.end(fill)
    }
    const get = (fields: Record<string, string>) =>
      cache.find(cache.keyOf('1', (name) => fields[name]))?.content
    put('a', ['x'], { x: '1', y: '1' })
    put('b', ['y'], { x: '2', y: '2' })
    expect(get({ x: '2', y: '2' })).to.equal('b')
    expect(get({ x: '2', y: '1' })).to.equal(undefined)
    expect(get({ x: '1' })).to.equal(undefined)
    // line breaks do not come in fields, and colons do not confuse
    expect(get({ x: '2\ny:2' })).to.equal(undefined)
  })
})
