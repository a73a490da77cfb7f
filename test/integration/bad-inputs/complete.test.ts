/** Every bad input of these areas has a test: told by the titles that mocha has registered. */
import { expect } from 'chai'
import type { Suite } from 'mocha'
import { rows, suitePrefix } from './cases.ts'

const areas = [
  ...['spec', 'expression', 'http', 'body', 'upstream', 'wamp', 'management', 'sync'],
  ...['oauth', 'oidc', 'csrf'],
]

/** The titles of all tests below a suite. */
const titlesOf = (suite: Suite): string[] => [
  ...suite.tests.map(({ title }) => title),
  ...suite.suites.flatMap(titlesOf),
]

/** The suites of bad inputs, wherever they stand. */
const suitesIn = (suite: Suite): Suite[] =>
  suite.title.startsWith(suitePrefix) ? [suite] : suite.suites.flatMap(suitesIn)

describe('the suites of bad inputs', () => {
  it('have one test for each index of their areas', function () {
    let root = this.test?.parent
    while (root?.parent) root = root.parent
    const titles = root ? suitesIn(root).flatMap(titlesOf) : []
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
