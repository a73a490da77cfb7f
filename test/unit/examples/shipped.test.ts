/** The documents of examples/ keep what their examples say, and every operation has one. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '#test/unit/cli/terminal.ts'

const folder = join(import.meta.dirname, '../../../examples')

describe('the examples of examples/', () => {
  for (const name of readdirSync(folder)) {
    it(`hold in ${name}, for every operation`, async () => {
      const file = join(folder, name, 'api-spec.json')
      const { code, out } = await runCli(['test', '--fail-under', '100', file])
      expect(code, out).to.equal(0)
      const validated = await runCli(['validate', '--strict', file])
      expect(validated.code, validated.out).to.equal(0)
    })
  }
})
