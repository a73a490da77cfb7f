/** docs/examples.md says what the code does: its example holds, its outputs are those of the command. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '#test/unit/cli/terminal.ts'

const page = readFileSync(new URL('../../../docs/examples.md', import.meta.url), 'utf8')

describe('docs/examples.md', () => {
  const [, document = ''] = /```json\n(.*?)```/s.exec(page) ?? []
  const outputs = Array.from(page.matchAll(/```text\n(.*?)```/gs), ([, text]) => text)
  let folder: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-docs-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const outputOf = async (text: string) => {
    const file = join(folder, 'orders.json')
    writeFileSync(file, text)
    const { out } = await runCli(['test', file])
    return out.replaceAll(`${folder}/`, '')
  }

  it('shows a document whose examples hold, and what the command prints', async () => {
    expect(await outputOf(document)).to.equal(outputs[0])
  })

  it('shows what the command prints of one that does not hold', async () => {
    expect(await outputOf(document.replace(' |> head', ''))).to.equal(outputs[1])
  })
})
