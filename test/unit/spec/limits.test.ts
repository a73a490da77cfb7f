/** What holds for a document as a whole: depth, keys, text, the number of paths; and the patterns of its paths. */
import { expect } from 'chai'
import { type Validation, validateSpec } from '#component/spec/validate.ts'
import { makeDocument, withValue } from './document.ts'

const pointersOf = ({ issues }: Validation): string[] => issues.map((issue) => issue.path)

describe('limits of a document', () => {
  const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)])

  for (const [what, at, value, pointers] of [
    ['64 levels', '/meta', { a: nested(62) }, []],
    ['65 levels', '/meta', { a: nested(63) }, [`/meta/a${'/0'.repeat(62)}`]],
    ['a lone surrogate in a value', '/name', 'a\ud800', ['/name']],
    ['a lone surrogate in a key', '/meta', { 'a\udc00': 1 }, ['/meta/a\ufffd']],
    ['a surrogate pair', '/name', '😀', []],
    ['a __proto__ key', '/meta', JSON.parse('{"a":[{"__proto__":1}]}'), ['/meta/a/0/__proto__']],
    [
      'a __proto__ version',
      '/versions',
      JSON.parse('{"__proto__":{"base_path":"/","paths":{}}}'),
      ['/versions/__proto__'],
    ],
    ['constructor as a key', '/variables', { constructor: 1, toString: 2 }, []],
  ] as const) {
    it(`${what}: ${pointers.length === 0 ? 'is fine' : `refused at ${pointers[0]}`}`, () => {
      expect(pointersOf(validateSpec(withValue(at, value)))).to.deep.equal(pointers)
    })
  }

  it('100,000 levels do not overflow the stack', () => {
    let deep: unknown = 1
    for (let i = 0; i < 100_000; i += 1) deep = [deep]
    expect(validateSpec(withValue('/meta', { deep })).issues).to.have.length(1)
  })

  const paths = (count: number, name: (i: number) => string) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [name(i), {}]))

  it('10,000 paths are fine', () => {
    const document = withValue(
      '/versions/1/paths',
      paths(10_000, (i) => `/p${i}`),
    )
    expect(pointersOf(validateSpec(document))).to.deep.equal([])
  })

  it('10,001 paths are one issue', () => {
    const document = withValue(
      '/versions/1/paths',
      paths(10_001, (i) => `/p${i}`),
    )
    expect(pointersOf(validateSpec(document))).to.deep.equal(['/versions/1/paths'])
  })

  it('paths of all versions count', () => {
    const version = (base_path: string) => ({ base_path, paths: paths(5_001, (i) => `/p${i}`) })
    const document = { ...makeDocument(), versions: { a: version('/a'), b: version('/b') } }
    expect(pointersOf(validateSpec(document))).to.deep.equal(['/versions/b/paths'])
  })

  it('100,000 routes by optional segments and labels are the most', () => {
    const eight = '/[a]/[b]/[c]/[d]/[e]/[f]/[g]/[h]'
    const document = withValue(
      '/versions/1/paths',
      paths(391, (i) => `/p${i}${eight}`),
    )
    expect(pointersOf(validateSpec(document))).to.deep.equal([
      `/versions/1/paths/~1p390${eight.replaceAll('/', '~1')}`,
    ])
    expect(pointersOf(validateSpec({ ...document, host: '[a.]b' }))).to.have.length(196)
  })
})

describe('patterns of a document', () => {
  for (const [base_path, pattern, isValid] of [
    ['/v1', '/', false],
    ['/', '/ws', false],
    ['/', '/ws/', false],
    ['/[v1]', '/ws', false],
    ['/ws', '/[x]', false],
    ['/', '/[a]/ws', false],
    ['/', '/%77s', false],
    ['/v1', '/ws', true],
    ['/', '/ws/x', true],
    ['/', '/:any', true],
    ['/', '/wss', true],
    ['/:id', '/:id', false],
    ['/[a]/[b]/[c]/[d]', '/[e]/[f]/[g]/[h]', true],
    ['/[a]/[b]/[c]/[d]', '/[e]/[f]/[g]/[h]/[i]', false],
    ['/v1/', '/x', true],
    ['/v1', '/[...]', true],
    ['/v1', 'x', true],
    ['/v1', '', false],
    ['/', 'ws', false],
    ['/v1', 'x//y', false],
    ['/v1', '/[/x]', true],
  ] as const) {
    it(`${base_path} with ${pattern} is ${isValid ? 'valid' : 'one issue at the path'}`, () => {
      const version = { base_path, paths: { [pattern]: {} } }
      const at = `/versions/1/paths/${pattern.replaceAll('/', '~1')}`
      expect(pointersOf(validateSpec(withValue('/versions/1', version)))).to.deep.equal(
        isValid ? [] : [at],
      )
    })
  }

  it('judges a path beside its broken pattern', () => {
    const document = withValue('/versions/1/paths', { '/a//b': { timeout: 0 } })
    const { issues, spec } = validateSpec(document)
    expect(issues.map((issue) => issue.path)).to.deep.equal([
      '/versions/1/paths/~1a~1~1b',
      '/versions/1/paths/~1a~1~1b/timeout',
    ])
    expect(spec?.versions[0]?.paths).to.have.length(1)
  })
})
