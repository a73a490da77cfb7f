/**
 * The files of examples/bookshop are those that docs/tutorial.md leaves at its end, where its tests have run them. UPDATE=1 writes them:
 * `UPDATE=1 mocha test/unit/examples/bookshop.test.ts`.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { textOfFile } from '#test/support/pages/files.ts'
import { tutorial } from '#test/support/pages/tutorial.ts'

const folder = join(import.meta.dirname, '../../../examples/bookshop')
const steps = [...tutorial.values()].flat()
const written = [...new Set(steps.flatMap((step) => ('file' in step ? [step.file] : [])))]

describe('examples/bookshop', () => {
  for (const name of written) {
    it(`has ${name} as the tutorial leaves it`, () => {
      const [path, text] = [join(folder, name), textOfFile(tutorial.values(), name)]
      if (process.env.UPDATE) {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
      }
      expect(readFileSync(path, 'utf8')).to.equal(text)
    })
  }

  it('has no other file', () => {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const names = files.map(({ parentPath, name }) =>
      join(parentPath, name).slice(folder.length + 1),
    )
    expect(names.toSorted()).to.deep.equal(['README.md', ...written].toSorted())
  })
})
