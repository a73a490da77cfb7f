/** Regular expressions of schemas. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { compilePattern, sizeOfPattern } from '#component/schema/pattern/pattern.ts'
import { plainText } from '#component/schema/pattern/program.ts'
import { parsePattern } from '#component/schema/pattern/syntax.ts'

interface Rows {
  readonly cases: { pattern: string; yes?: string[]; no?: string[]; units?: number }[]
  readonly refused: { pattern: string; problem: string }[]
}

const { cases, refused }: Rows = JSON.parse(readFileSync('test/cases/schema/patterns.json', 'utf8'))

/** Texts of either side of the length up to which the engine of Node is asked, also with halves of pairs. */
const texts = ['', 'a', 'b', 'ab', 'a1', '😀', '\ud800', '\udc00', 'a\n', 'ſ', 'é', 'A'].flatMap(
  (text) => [text, text.repeat(400), `${text.repeat(1_200)}b`],
)

/** Patterns without groups, whose characters have one place each; texts beside {@link texts}. */
const plain: Readonly<Record<string, readonly string[]>> = {
  '^a': [],
  '^a+': [],
  '^[a-z]+$': [],
  '^[^a]*$': [],
  '^[^]?$': [],
  '^.{1,1000}$': [`${'😀'.repeat(1_000)}`, `${'😀'.repeat(1_001)}`],
  '^[a-z]{2}\\d{0,3}-?\\.*$': ['ab', 'ab123', 'ab1234', 'ab-', 'ab-..', 'ab1-.x'],
  '^[0-9a-f]{8}-[0-9a-f]{4}$': ['0123abcd-0f0f', '0123abcd-0f0g', '0123ABCD-0F0F'],
  '^[\\ud800-\\udfff]+$': ['\ud800\ud801', '\ud83d\ude00'],
  '^[]$': [],
  '^$': [],
}

/** Where an engine that goes back would come to the same place in many ways, or in more than a few. */
const notPlain = [
  ...['a', 'a$', '', '^(a+)+$', '^(?:ab)+$', '^(?:|)(?:|)$', '^a*a$', '^a?[ab]?$', '^[ab]*b$'],
  ...[
    '^a?b?c?d?e?$',
    '^a|^b',
    '^\\bab$',
    '^(?i:a)$',
    '^\\p{L}$',
    '^\\p{L}+$',
    '^(a?){3}$',
    '^(?:a?|b?)$',
  ],
]

describe('patterns of schemas', () => {
  for (const { pattern, yes = [], no = [], units = 1 } of cases) {
    it(`${JSON.stringify(pattern)} matches what it names`, () => {
      expect(sizeOfPattern(pattern)).to.be.a('number')
      const compiled = compilePattern(pattern)
      expect(yes.filter((text) => !compiled.test(text))).to.deep.equal([])
      expect(no.filter((text) => compiled.test(text))).to.deep.equal([])
      expect(compiled.unitsPerCharacter).to.equal(units)
    })
  }

  for (const { pattern, problem } of refused) {
    it(`${JSON.stringify(pattern)} is refused with its place`, () => {
      expect(sizeOfPattern(pattern)).to.equal(problem)
    })
  }

  for (const [pattern, others] of Object.entries(plain)) {
    it(`${JSON.stringify(pattern)} is matched by the engine of Node as by RE2`, () => {
      expect(plainText(parsePattern(pattern))).to.be.a('string')
      const compiled = compilePattern(pattern)
      expect(compiled.unitsPerMatch).to.equal(10)
      const found = [...texts, ...others].filter((text) => new RegExp(pattern, 'u').test(text))
      expect([...texts, ...others].filter((text) => compiled.test(text))).to.deep.equal(found)
    })
  }

  for (const pattern of notPlain) {
    it(`${JSON.stringify(pattern)} is left to RE2`, () => {
      expect(plainText(parsePattern(pattern))).to.equal(undefined)
      expect(compilePattern(pattern).unitsPerMatch).to.equal(30)
    })
  }

  it('refuses groups that are nested too deeply', () => {
    const pattern = `${'('.repeat(51)}a${')'.repeat(51)}`
    expect(sizeOfPattern(pattern)).to.match(/nested up to 50 levels/)
  })

  it('refuses what RE2 finds too large', () => {
    expect(sizeOfPattern('(?:(?:a{100}){100}){100}')).to.match(/^RE2 cannot compile the pattern: /)
  })
})
