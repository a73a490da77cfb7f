/** docs/expressions.md: every example is run, and every function has one. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { functionNames } from '#component/expression/functions/functions.ts'
import { evaluateText, type Given } from './context.ts'

interface Example {
  readonly expression: string
  readonly given?: Given
  readonly result?: unknown
  readonly error?: string
}

const page = readFileSync(join(import.meta.dirname, '../../../docs/expressions.md'), 'utf8')

const examplesIn = (text: string): Example[] =>
  text
    .split('```json\n')
    .slice(1)
    .map((block) => JSON.parse(block.slice(0, block.indexOf('```'))))

/** The text under a heading of the third level. */
const sectionOf = (name: string): string => {
  const [, section = ''] = page.split(`\n### ${name}\n`)
  return section.split('\n#')[0] ?? ''
}

describe('docs/expressions.md', () => {
  for (const { expression, given = {}, result, error } of examplesIn(page)) {
    it(`is right about ${expression}`, () => {
      const ending = evaluateText(expression, given)
      if (error === undefined) expect(ending).to.deep.include({ result })
      else expect(ending.ofRequest ?? ending.error).to.contain(error)
    })
  }

  for (const name of functionNames) {
    it(`has an example for ${name}`, () => {
      const calls = examplesIn(sectionOf(name)).filter(({ expression }) =>
        expression.includes(`|> ${name}`),
      )
      expect(calls).to.not.be.empty
    })
  }
})
