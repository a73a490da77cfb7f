/** docs/troubleshooting.md has a row for each code of the table of errors, with its status. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { errorUris, ServiceError } from '#component/errors.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/troubleshooting.md'), 'utf8')
const rows = page.split('\n').filter((line) => line.startsWith('| `'))

describe('docs/troubleshooting.md', () => {
  for (const uri of errorUris) {
    it(`tells what ${uri} means, and its status`, () => {
      const [row, ...others] = rows.filter((line) =>
        (line.split('|')[1] ?? '').includes(`\`${uri}\``),
      )
      expect(others).to.deep.equal([])
      expect(row?.split('|')[2]?.trim()).to.equal(String(new ServiceError(uri, '').status))
    })
  }
})
