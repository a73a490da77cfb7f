/** Regular expressions of schemas. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { compilePattern, sizeOfPattern } from '#component/schema/pattern/pattern.ts'

interface Rows {
  readonly cases: { pattern: string; yes?: string[]; no?: string[]; units?: number }[]
  readonly refused: { pattern: string; problem: string }[]
}

const { cases, refused }: Rows = JSON.parse(readFileSync('test/cases/schema/patterns.json', 'utf8'))

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

  it('refuses groups that are nested too deeply', () => {
    const pattern = `${'('.repeat(51)}a${')'.repeat(51)}`
    expect(sizeOfPattern(pattern)).to.match(/nested up to 50 levels/)
  })

  it('refuses what RE2 finds too large', () => {
    expect(sizeOfPattern('(?:(?:a{100}){100}){100}')).to.match(/^RE2 cannot compile the pattern: /)
  })
})
