/** The documents of docs/streams.md load without a warning, and their examples hold. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '#test/unit/cli/terminal.ts'

const page = readFileSync(new URL('../../../docs/streams.md', import.meta.url), 'utf8')

describe('docs/streams.md', () => {
  const documents = Array.from(page.matchAll(/```json\n(.*?)```/gs), ([, text = '']) => text)
  let folder: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-docs-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  for (const text of documents) {
    const { id } = JSON.parse(text) as { readonly id: string }
    it(`shows a document whose examples hold: ${id}`, async () => {
      const file = join(folder, `${id}.json`)
      writeFileSync(file, text)
      for (const command of [
        ['test', '--fail-under', '100', file],
        ['validate', '--strict', file],
      ]) {
        const { code, out } = await runCli(command)
        expect(code, out).to.equal(0)
      }
    })
  }
})
