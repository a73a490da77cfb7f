/** What is done to whole documents in steps comes to what doing it at once comes to. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { ServiceError } from '#component/errors.ts'
import { canonicalJson, parseJson, stringifyJson } from '#component/json.ts'
import { hashOf, ownCopy } from '#component/registry/document-steps.ts'
import { runAtOnce } from '#component/spec/steps.ts'

const copyOf = (value: unknown) => runAtOnce(ownCopy(value))

/** How many steps there are. */
function stepsOf(steps: Iterator<undefined, unknown>): number {
  let count = 0
  while (!steps.next().done) count += 1
  return count
}

const big = (paths: number) => ({
  id: 'a',
  versions: {
    one: {
      paths: Object.fromEntries(
        Array.from({ length: paths }, (_, at) => [`/p${at}`, { get: { action: 'x'.repeat(100) } }]),
      ),
    },
  },
})

describe('the copy of a document', () => {
  it('is equal and shares nothing', () => {
    const document = { id: 'a', list: [1, { b: [2] }], versions: { one: { paths: { '/x': {} } } } }
    const copy = copyOf(document) as typeof document
    expect(copy).to.deep.equal(document)
    for (const key of ['list', 'versions'] as const) expect(copy[key]).to.not.equal(document[key])
    expect(copy.versions.one.paths['/x']).to.not.equal(document.versions.one.paths['/x'])
  })

  it('is what comes of its text, whatever JSON it is', () => {
    const limits = { depth: 256, values: 1_000_000 }
    const atOnce = (value: unknown) => parseJson(stringifyJson(value), { limits })
    const outcome = (copy: (value: unknown) => unknown, value: unknown): string => {
      try {
        return canonicalJson(copy(value))
      } catch (error) {
        if (error instanceof ServiceError) return error.uri // integers of more than 64 bits
        throw error
      }
    }
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 7 }), (value) => {
        fc.pre(typeof value !== 'object' || value === null || !('ts' in value))
        expect(outcome(copyOf, value)).to.equal(outcome(atOnce, value))
      }),
    )
  })

  it('keeps keys called __proto__, for validation to refuse them, and has no ts', () => {
    const copy = copyOf(JSON.parse('{"__proto__":1,"ts":5,"a":{"__proto__":{"b":2}}}'))
    expect(JSON.stringify(copy)).to.equal('{"__proto__":1,"a":{"__proto__":{"b":2}}}')
  })

  it('takes a step for each path', () => {
    expect(stepsOf(ownCopy(big(500)))).to.be.at.least(500)
  })

  for (const [what, bytes] of [
    ['one long text', (size: number) => ({ a: 'x'.repeat(size - 8) })],
    ['letters of two bytes', (size: number) => ({ a: 'é'.repeat((size - 8) / 2) })],
    ['many keys', (size: number) => ({ a: { b: { c: { d: { e: 'x'.repeat(size - 32) } } } } })],
  ] as const) {
    it(`may have 4 MiB and no more, as ${what}`, () => {
      const most = 4 * 1024 * 1024
      expect(() => copyOf(bytes(most - 64))).to.not.throw()
      expect(() => copyOf(bytes(most + 64)))
        .to.throw()
        .with.property('uri', 'service.error.payload_too_large')
    })
  }
})

describe('the hash of a document', () => {
  const whole = (value: unknown) => createHash('sha256').update(canonicalJson(value)).digest('hex')

  it('is that of its canonical JSON', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 7 })),
        (map: Record<string, unknown>) => {
          expect(runAtOnce(hashOf(map))).to.equal(whole(map))
        },
      ),
    )
    for (const map of [{}, { a: [] }, { b: { c: {} }, a: [[], {}] }, big(2000)]) {
      expect(runAtOnce(hashOf(map))).to.equal(whole(map))
    }
  })

  it('is taken in several steps where the document is long', () => {
    expect(stepsOf(hashOf(big(2000)))).to.be.at.least(3)
  })
})
