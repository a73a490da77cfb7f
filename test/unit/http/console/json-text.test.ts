/** JSON as the console reads and prints it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  JsonMistake,
  lineAt,
  offsetOf,
  printJson,
  readJson,
} from '#http/console/page/lib/json-text.js'

const text = `{
  "id": "a",
  "versions": {
    "1.0": { "paths": { "/a/:b": { "get": {} } } },
    "~tilde": [1, { "x": 2 }]
  }
}`

describe('the text of a document in the console', () => {
  it('means the same once it is printed', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 5 }), (any) => {
        const printed = printJson(readJson(any))
        expect(JSON.parse(printed)).to.deep.equal(JSON.parse(any))
        expect(printJson(readJson(printed))).to.equal(printed)
      }),
      { numRuns: 300 },
    )
  })

  it('keeps every digit of a number, and each escape of a text', () => {
    const odd = '{"a":18446744073709551615,"b":1.10,"c":"\\u0041\\/","d":-0,"e":1E400}'
    expect(printJson(readJson(odd)).replaceAll(/\s/g, '')).to.equal(odd)
  })

  it('is printed as the documents of the tests are written, within 80 columns', () => {
    const file = join(import.meta.dirname, '../../../cases/specs/simple.json')
    const printed = printJson(readJson(readFileSync(file, 'utf8')))
    expect(Math.max(...printed.split('\n').map(({ length }) => length))).to.be.at.most(120)
    expect(JSON.parse(printed)).to.deep.equal(JSON.parse(readFileSync(file, 'utf8')))
  })

  for (const [pointer, line] of [
    ['', 1],
    ['/id', 2],
    ['/versions', 3],
    ['/versions/1.0/paths/~1a~1:b/get', 4],
    ['/versions/~0tilde/1/x', 5],
    ['/versions/1.0/paths/nothing/deeper', 4],
  ] as const) {
    it(`has ${pointer || 'the document'} at line ${line}`, () => {
      expect(lineAt(text, offsetOf(readJson(text), pointer))).to.equal(line)
    })
  }

  for (const [mistaken, offset, message] of [
    ['{"a": 1,}', 8, 'found "}", expected a member, as "name": value'],
    ['{"a" 1}', 5, 'found "1", expected ":"'],
    ['[1 2]', 3, 'found "2", expected "," or "]"'],
    ['{"a": tru}', 6, 'found "t", expected a value'],
    ['{} x', 3, 'found "x", expected the end'],
    ['', 0, 'the text ends, expected a value'],
    ['"a\nb"', 0, 'found "\\"", expected a value'],
    ['[01]', 2, 'found "1", expected "," or "]"'],
  ] as const) {
    it(`has its mistake told with its place: ${JSON.stringify(mistaken)}`, () => {
      let found: unknown
      try {
        readJson(mistaken)
      } catch (error) {
        found = error
      }
      expect(found).to.be.instanceOf(JsonMistake)
      expect(found).to.include({ offset, message })
    })
  }

  it('is refused where it is deeper than the gateway reads', () => {
    expect(() => readJson('['.repeat(5_000))).to.throw(JsonMistake)
  })
})
