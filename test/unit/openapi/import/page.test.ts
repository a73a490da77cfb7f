/** The import that docs/openapi.md shows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { sectionsOf } from '#test/support/pages/blocks.ts'
import { runCli } from '#test/unit/cli/terminal.ts'

describe('docs/openapi.md', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'openapi-page-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('shows what an import prints and tells', async () => {
    const blocks = sectionsOf('docs/openapi.md').get('From OpenAPI') ?? []
    const textOf = (wanted: string) =>
      blocks.find(({ language }) => language === wanted)?.text ?? ''
    const file = join(folder, 'books.yaml')
    writeFileSync(file, textOf('yaml'))
    const { out, err } = await runCli(['import', 'openapi', file, '--realm', 'com.example.books'])
    expect(JSON.parse(out)).to.deep.equal(JSON.parse(textOf('json')))
    expect(err.replaceAll(`${folder}/`, '')).to.equal(textOf('text'))
  })
})
