/** Segments of text and bindings: what a load refuses and warns of, and what requests bind. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { PathTree } from '#component/routes/path-tree.ts'
import { parsePathPattern, type Segment } from '#component/syntax/path-pattern.ts'
import { documentOf, fixed, issuesOf } from '#test/unit/gateway/fake-exchange.ts'

const pathsWith = (...patterns: readonly string[]): object =>
  Object.fromEntries(patterns.map((pattern) => [pattern, { get: fixed() }]))

const warningsOf = (patterns: readonly string[], version: object = {}): string[] =>
  compileDocument(documentOf(pathsWith(...patterns), {}, version), {
    callTimeout: 5000,
  }).warnings.map(({ path, message }) => `${path.split('/').at(-1)}: ${message}`)

const rivals = (one: string, other: string) =>
  `~1${one}: one request could match the route /v1/${one} and /v1/${other}, and neither has more text: the text that sorts first wins`

describe('segments of text and bindings in a document', () => {
  for (const [patterns, warnings] of [
    [['/{a}-{b}', '/{a}_{b}'], [rivals('{a}_{b}', '{a}-{b}')]],
    [['/x{a}-{b}y', '/x{c}.{d}y'], [rivals('x{c}.{d}y', 'x{a}-{b}y')]],
    [['/{a}--{b}', '/{a}-{b}-{c}'], [rivals('{a}-{b}-{c}', '{a}--{b}')]],
    [['/{a}-{b}', '/{a}--{b}'], []],
    [['/{a}-{b}', '/{a}-{b}/x'], []],
    [['/{a}-{b}', '/x/{a}_{b}'], []],
    [['/{a}.json', '/{a}.html'], []],
    [['/x{a}', '/y{a}'], []],
    [['/{a}.json', '/:a'], []],
  ] as const) {
    it(`${patterns.join(' and ')} have ${warnings.length} warnings`, () => {
      expect(warningsOf(patterns)).to.deep.equal(warnings)
    })
  }

  it('clash where only the names of their bindings differ', () => {
    const [issue] = issuesOf(documentOf(pathsWith('/{a}.json', '/{b}.json')))
    expect(issue?.message).to.equal(
      'the route /v1/{b}.json matches the same requests as /versions/1.0/paths/~1{a}.json',
    )
    expect(issuesOf(documentOf(pathsWith('/{a}', '/:b')))).to.have.length(1)
  })

  for (const [what, textOf, message] of [
    ['pairs of lengths', (i: number) => `/${'x'.repeat(i)}{a}`, 'more than 64 pairs of lengths'],
    ['segments with equal ends', (i: number) => `/{a}m${i}m{b}`, 'more than 64 segments here'],
  ] as const) {
    it(`has at most 64 ${what} behind the same segments`, () => {
      const patterns = Array.from({ length: 65 }, (_, i) => textOf(i + 1))
      expect(issuesOf(documentOf(pathsWith(...patterns.slice(1))))).to.deep.equal([])
      const issues = issuesOf(documentOf(pathsWith(...patterns)))
      expect(issues.map((issue) => issue.message).join()).to.include(message)
      const apart = patterns.map((pattern, i) => `/p${i}${pattern}`)
      expect(issuesOf(documentOf(pathsWith(...apart)))).to.deep.equal([])
    })
  }

  it('may be as many as wanted with equal lengths', () => {
    const verbs = Array.from({ length: 1000 }, (_, i) => `/{id}:verb${i}`)
    expect(issuesOf(documentOf(pathsWith(...verbs)))).to.deep.equal([])
  })

  it('are known to expressions by their names', () => {
    const operation = (name: string) => fixed(`{{request.bindings.${name}}}`)
    const at = (name: string) => documentOf({ '/{major}.json': { get: operation(name) } })
    expect(issuesOf(at('major'))).to.deep.equal([])
    expect(issuesOf(at('minor'))[0]?.message).to.include(
      'the path /v1/{major}.json does not bind it; did you mean "major"?',
    )
  })

  it('stand in base_path', () => {
    const version = { base_path: '/v{major}' }
    const get = fixed('{{request.bindings.major}}')
    expect(issuesOf(documentOf({ '/x': { get } }, {}, version))).to.deep.equal([])
  })
})

describe('a path tree with segments of text and bindings', () => {
  const formOf = (pattern: string): readonly Segment[] => {
    const parsed = parsePathPattern(pattern)
    if ('problem' in parsed) throw new TypeError(parsed.problem)
    return parsed.forms[0] ?? []
  }
  const patterns = ['/{a}.json', '/{a}.json/x', '/x{a}', '/{a}-{b}', '/{a}_{b}', '/{a}-{b}-{c}']

  it('is empty again when its forms are removed, in any order', () => {
    for (const order of [patterns, patterns.toReversed()]) {
      const tree = new PathTree<string>()
      for (const pattern of patterns) tree.add(formOf(pattern), pattern)
      for (const pattern of patterns) expect(tree.valueOf(formOf(pattern))).to.equal(pattern)
      for (const pattern of order) tree.remove(formOf(pattern), pattern)
      expect(tree.isEmpty).to.equal(true)
      expect(tree.root.parts).to.equal(undefined)
    }
  })

  it('shares nothing that a fork changes', () => {
    const tree = new PathTree<string>()
    for (const pattern of patterns) tree.add(formOf(pattern), pattern)
    const fork = tree.fork()
    fork.remove(formOf('/{a}.json'), '/{a}.json')
    fork.add(formOf('/{a}.xml'), '/{a}.xml')
    fork.add(formOf('/{a}.json/y'), '/{a}.json/y')
    expect(tree.find('/1.json')?.value).to.equal('/{a}.json')
    expect(tree.find('/1.xml')).to.equal(undefined)
    expect(tree.find('/1.json/y')).to.equal(undefined)
    expect(fork.find('/1.json')).to.equal(undefined)
    expect(fork.find('/1.xml')?.value).to.equal('/{a}.xml')
    expect(fork.find('/1.json/x')?.value).to.equal('/{a}.json/x')
  })

  it('has nothing for them where no pattern has any', () => {
    const tree = new PathTree<string>()
    for (const pattern of ['/a/:b', '/[...]']) tree.add(formOf(pattern), pattern)
    expect(tree.root.parts).to.equal(undefined)
  })

  it('binds what a branch that failed has not left', () => {
    const tree = new PathTree<string>()
    for (const pattern of ['/{a}-{b}/x', '/:c/y']) tree.add(formOf(pattern), pattern)
    expect({ ...tree.find('/1-2/y')?.bindings }).to.deep.equal({ c: '1-2' })
  })
})

describe('strip_prefix before segments of text and bindings', () => {
  const forward = (strip_prefix: string) => ({
    action: { type: 'forward', host: 'http://a.example', strip_prefix },
    response: {},
  })
  for (const [prefix, isPossible] of [
    ['/v1/a.json', true],
    ['/v1/a.xml', false],
    ['/v1/.json', false],
  ] as const) {
    it(`${prefix} ${isPossible ? 'can' : 'cannot'} begin /v1/{id}.json/x`, () => {
      const document = documentOf({ '/{id}.json/x': { get: forward(prefix) } })
      expect(issuesOf(document).length).to.equal(isPossible ? 0 : 1)
    })
  }
})
