/** The hash of a document, taken in steps, is that of its canonical JSON; who takes entries of others waits between. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { canonicalJson, canonicalParts } from '#component/codec/json.ts'
import { hashing, hashOf } from '#component/replica/entry.ts'
import { stepsOf } from '#test/unit/steps-of.ts'

const long = (paths: number) => ({
  id: 'a',
  versions: {
    one: {
      paths: Object.fromEntries(
        Array.from({ length: paths }, (_, at) => [`/p${at}`, { get: { action: 'x'.repeat(100) } }]),
      ),
    },
  },
})

const known: readonly (readonly [object, string])[] = [
  [{}, '{}'],
  [{ a: [] }, '{"a":[]}'],
  [{ b: { c: {} }, a: [[], {}] }, '{"a":[[],{}],"b":{"c":{}}}'],
  [{ b: undefined, a: { c: undefined } }, '{"a":{}}'],
  [{ a: [undefined, 1n, 'é"'] }, '{"a":[null,1,"é\\""]}'],
  [
    { a: { b: { c: { z: { y: 1, x: [2] }, d: null } } } },
    '{"a":{"b":{"c":{"d":null,"z":{"x":[2],"y":1}}}}}',
  ],
]

describe('canonical JSON', () => {
  for (const [value, text] of known) {
    it(`is ${text}, at once and in parts`, () => {
      expect(canonicalJson(value)).to.equal(text)
      expect([...canonicalParts(value)].join('')).to.equal(text)
    })
  }

  it('is the same in parts, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 7 }), (value) => {
        expect([...canonicalParts(value)].join('')).to.equal(canonicalJson(value))
      }),
    )
  })
})

describe('the hash of a document', () => {
  it('is that of its canonical JSON', () => {
    for (const document of [long(0), long(2000)]) {
      const whole = createHash('sha256').update(canonicalJson(document)).digest('hex')
      expect(hashOf(document)).to.equal(whole)
    }
  })

  it('is taken in several steps where the document is long', () => {
    expect(stepsOf(hashing(long(10)))).to.equal(0)
    expect(stepsOf(hashing(long(2000)))).to.be.at.least(3)
  })
})
