/** The copy of a document, made part by part, is what comes of its text. */
import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalJson, parseJson, stringifyJson } from '#component/codec/json.ts'
import { documentRules } from '#component/codec/limits.ts'
import { ServiceError } from '#component/errors.ts'
import { loadingDocument } from '#component/replica/document-text.ts'
import { runAtOnce } from '#component/yielding.ts'
import { stepsOf } from '#test/unit/steps-of.ts'
import { document } from './doubles.ts'

const copyOf = (value: unknown) => runAtOnce(loadingDocument(value)).value

/** What a copy comes to, as text; the URI of the error when it is refused. */
function outcome(copy: (value: unknown) => unknown, value: unknown): string {
  try {
    return canonicalJson(copy(value))
  } catch (error) {
    if (error instanceof ServiceError) return error.uri
    throw error
  }
}

const byText = (value: unknown) => parseJson(stringifyJson(value), documentRules)

describe('the copy of a document', () => {
  it('is equal and shares nothing', () => {
    const mine = { id: 'a', list: [1, { b: [2] }], versions: { one: { paths: { '/x': {} } } } }
    const copy = copyOf(mine) as typeof mine
    expect(copy).to.deep.equal(mine)
    for (const key of ['list', 'versions'] as const) expect(copy[key]).to.not.equal(mine[key])
    expect(copy.versions.one.paths['/x']).to.not.equal(mine.versions.one.paths['/x'])
  })

  it('is what comes of its text, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 7 }), (value) => {
        fc.pre(typeof value !== 'object' || value === null || !('ts' in value))
        expect(outcome(copyOf, value)).to.equal(outcome(byText, value))
      }),
    )
  })

  for (const value of [2n ** 64n - 1n, -(2n ** 63n), 2 ** 60, 1e20, 1e21, '1'.repeat(20)]) {
    it(`is what comes of its text for ${typeof value} ${value}`, () => {
      expect(outcome(copyOf, { a: { b: value } })).to.equal(outcome(byText, { a: { b: value } }))
    })
  }

  it('keeps keys called __proto__, for validation to refuse them, and has no ts', () => {
    const copy = copyOf(JSON.parse('{"__proto__":1,"ts":5,"a":{"__proto__":{"b":2}}}'))
    expect(JSON.stringify(copy)).to.equal('{"__proto__":1,"a":{"__proto__":{"b":2}}}')
  })

  it('takes a step for each path', () => {
    const paths = Array.from({ length: 500 }, (_, at) => `/p${at}`)
    expect(stepsOf(loadingDocument(document('a', paths)))).to.be.at.least(500)
  })

  const most = 4 * 1024 * 1024
  for (const [what, sized] of [
    ['one long text', (size: number) => ({ a: 'x'.repeat(size - 8) })],
    ['letters of two bytes', (size: number) => ({ a: 'é'.repeat((size - 8) / 2) })],
    [
      'a text below many keys',
      (size: number) => ({ a: { b: { c: { d: 'x'.repeat(size - 26) } } } }),
    ],
    ['empty lists', (size: number) => Array(Math.floor((size - 1) / 3)).fill([])],
  ] as const) {
    it(`may have 4 MiB and no more, as ${what}`, () => {
      const [small, large] = [sized(most - 4), sized(most + 4)]
      expect(Buffer.byteLength(JSON.stringify(small))).to.be.within(most - 8, most)
      expect(() => copyOf(small)).to.not.throw()
      expect(() => copyOf(large))
        .to.throw(ServiceError)
        .with.property('uri', 'service.error.payload_too_large')
      // more than a million parts, one by one
    })
  }
})
