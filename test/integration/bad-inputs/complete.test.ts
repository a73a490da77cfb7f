/** Every bad input of these areas has a test: told by the titles that mocha registers. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '#test/support/command.ts'
import { rows, suitePrefix } from './cases.ts'

const areas = [
  ...['spec', 'expression', 'http', 'body', 'upstream', 'wamp', 'management', 'sync'],
  ...['oauth', 'oidc', 'csrf'],
]

const root = join(import.meta.dirname, '../../..')

/** A test as mocha's reporter `json` prints it. */
interface Registered {
  readonly title: string
  readonly fullTitle: string
}

/** The titles of the tests in the suites of bad inputs; none of them runs. */
async function registeredTitles(): Promise<string[]> {
  const files = globSync('test/integration/bad-inputs/*.test.ts', { cwd: root })
  const others = files.filter((file) => !file.endsWith('complete.test.ts'))
  const mocha = join(root, 'node_modules/.bin/mocha')
  const { stdout } = await run(mocha, ['--dry-run', '--reporter', 'json', ...others], root)
  const { tests } = JSON.parse(stdout) as { tests: readonly Registered[] }
  return tests.flatMap(({ title, fullTitle }) => (fullTitle.includes(suitePrefix) ? [title] : []))
}

describe('the suites of bad inputs', () => {
  it('have one test for each index of their areas', async () => {
    const titles = await registeredTitles()
    const expected = rows.flatMap(({ area, input }, index) =>
      areas.includes(area) ? [`${index} ${area}: ${input.what}`] : [],
    )
    const tests = titles.filter((title) => title !== '' && Number(title.split(' ')[0]) >= 0)
    const missing = expected.filter(
      (start) => tests.filter((title) => title.startsWith(start)).length !== 1,
    )
    expect(missing, 'without a test, or with several').to.deep.equal([])
    expect(tests).to.have.length(expected.length)
  })
})
