/** docs/specification.md says what the code does: its example is valid, its tables hold the values of the code. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { defaultValues, initialStatusCodes } from '#component/spec/defaults.ts'
import { validateSpec } from '#component/spec/validate.ts'

const text = readFileSync(new URL('../../../docs/specification.md', import.meta.url), 'utf8')

describe('docs/specification.md', () => {
  it('begins with a valid document', () => {
    const [, example = ''] = /```json\n(.*?)```/s.exec(text) ?? []
    const { issues, warnings } = validateSpec(JSON.parse(example))
    expect({ issues, warnings }).to.deep.equal({ issues: [], warnings: [] })
  })

  it('shows every status code', () => {
    for (const [uri, status] of Object.entries(initialStatusCodes)) {
      expect(text).to.include(`\`${uri}\` | ${status} |`)
    }
  })

  for (const [key, value] of Object.entries(defaultValues)) {
    if (typeof value !== 'number') continue
    it(`shows the default of ${key}`, () => {
      expect(text.split('\n').find((line) => line.startsWith(`| \`${key}\` |`))).to.include(
        `${value}`,
      )
    })
  }
})
