/** The documents of examples/ keep what their examples say, and every operation has one. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '#test/unit/cli/terminal.ts'

const folder = join(import.meta.dirname, '../../../examples')

/** The document of the tutorial, which tells of examples at one operation, and whose tests call the others. */
const bookshop = join(folder, 'bookshop/bookshop.yaml')

async function expectSound(file: string, ...options: readonly string[]): Promise<void> {
  const { code, out } = await runCli(['test', ...options, file])
  expect(code, out).to.equal(0)
  const validated = await runCli(['validate', '--strict', file])
  expect(validated.code, validated.out).to.equal(0)
}

describe('the examples of examples/', () => {
  for (const name of readdirSync(folder).filter((each) => each !== 'bookshop')) {
    it(`hold in ${name}, for every operation`, () =>
      expectSound(join(folder, name, 'api-spec.json'), '--fail-under', '100'))
  }

  it('hold in bookshop', () => expectSound(bookshop))
})
