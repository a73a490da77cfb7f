/** test/cases/path-patterns.json: which paths a pattern matches, with which bindings, and which patterns are refused. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { PathTree } from '#component/routes/path-tree.ts'
import { parsePathPattern, type Segment } from '#component/syntax/path-pattern.ts'

const table: {
  cases: { pattern: string; paths: Record<string, Record<string, string> | null> }[]
  refused: { pattern: string; because: string }[]
} = JSON.parse(readFileSync(new URL('../../cases/path-patterns.json', import.meta.url), 'utf8'))

/** The expanded forms of a pattern; fails the test for one that is refused. */
function formsOf(pattern: string): readonly (readonly Segment[])[] {
  const parsed = parsePathPattern(pattern)
  if ('problem' in parsed) throw new TypeError(`${pattern}: ${parsed.problem}`)
  return parsed.forms
}

describe('path patterns', () => {
  for (const { pattern, paths } of table.cases) {
    for (const [path, bindings] of Object.entries(paths)) {
      const title = bindings ? `matches ${path} as ${JSON.stringify(bindings)}` : `misses "${path}"`
      it(`${pattern} ${title}`, () => {
        const tree = new PathTree<string>()
        for (const form of formsOf(pattern)) tree.add(form, pattern)
        const found = tree.find(path)
        expect(found ? { ...found.bindings } : null).to.deep.equal(bindings)
      })
    }
  }

  for (const { pattern, because } of table.refused) {
    it(`refuses ${JSON.stringify(pattern)}: ${because}`, () => {
      expect(parsePathPattern(pattern)).to.have.property('problem').that.includes(because)
    })
  }

  it('expands 8 optional segments to 256 forms', () => {
    expect(formsOf('/[a]/[b]/[c]/[d]/[e]/[f]/[g]/[h]')).to.have.length(256)
  })

  it('gives bindings without a prototype', () => {
    const tree = new PathTree<number>()
    for (const form of formsOf('/:a')) tree.add(form, 1)
    expect(Object.getPrototypeOf(tree.find('/x')?.bindings)).to.equal(null)
  })

  for (const [better, worse, path] of [
    ['/a/b', '/a/:x', '/a/b'],
    ['/a/:x', '/a/[...]', '/a/b'],
    ['/a/b', '/a/[...]', '/a/b'],
    ['/a', '/a/[...]', '/a'],
    ['/a/:x', '/:x/b', '/a/b'],
    ['/a/[...]', '/:x/b', '/a/b'],
    ['/:x/b', '/a/c', '/a/b'],
    ['/:x/b/c', '/a/:y/d', '/a/b/c'],
    ['/[a]/:y', '/[...]', '/a'],
    ['/x.json', '/{a}.json', '/x.json'],
    ['/{a}.json', '/:a', '/x.json'],
    ['/{a}.json', '/[...]', '/x.json'],
    ['/ab{x}', '/a{x}', '/abc'],
    ['/a{x}', '/{x}bcdef', '/abcdef'],
    ['/{x}.tar.gz', '/{x}.gz', '/a.tar.gz'],
    ['/{x}--{y}', '/{x}-{y}', '/a--b'],
    ['/{x}a-{y}', '/{x}-{y}', '/aa-b'],
    ['/{x}-{y}-{z}', '/{x}-{y}', '/a-b-c'],
    ['/{x}-{y}', '/{x}_{y}', '/a-b_c'],
    ['/{x}.json/b', '/:x/c', '/a.json/b'],
    ['/:x/c', '/{x}.json/b', '/a.json/c'],
    ['/{x}n/c', '/{x}.json/b', '/a.json/c'],
  ] as const) {
    it(`${better} serves ${path} before ${worse}, whatever comes first`, () => {
      for (const patterns of [
        [better, worse],
        [worse, better],
      ]) {
        const tree = new PathTree<string>()
        for (const pattern of patterns) for (const form of formsOf(pattern)) tree.add(form, pattern)
        expect(tree.find(path)?.value).to.equal(better)
      }
    })
  }

  it('drops the bindings of a way that failed', () => {
    const tree = new PathTree<string>()
    for (const pattern of ['/a/:x/:y/end', '/:z/[...]']) {
      for (const form of formsOf(pattern)) tree.add(form, pattern)
    }
    expect({ ...tree.find('/a/1/2/3')?.bindings }).to.deep.equal({ z: 'a', rest: '1/2/3' })
  })
})
