/** The documents of docs/streams.md and docs/mcp.md load without a warning, and their examples hold. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '#test/unit/cli/terminal.ts'

/** The documents of a page: its JSON that has an id; other JSON is the configuration of clients. */
const documentsOf = (file: string): string[] => {
  const page = readFileSync(new URL(`../../../docs/${file}`, import.meta.url), 'utf8')
  const blocks = Array.from(page.matchAll(/```json\n(.*?)```/gs), ([, text = '']) => text)
  return blocks.filter((text) => 'id' in JSON.parse(text))
}

for (const file of ['streams.md', 'mcp.md']) {
  describe(`docs/${file}`, () => {
    const documents = documentsOf(file)
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
}
