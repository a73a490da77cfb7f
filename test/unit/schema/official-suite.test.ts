/** docs/schemas.md lists the exceptions of the official JSON-Schema-Test-Suite that the tests know. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'

const { exceptions } = JSON.parse(
  readFileSync('test/cases/schema/official-suite.json', 'utf8'),
) as { exceptions: { reason: string }[] }

describe('docs/schemas.md', () => {
  it('lists each exception of the official tests with its reason, and no other', () => {
    const page = readFileSync('docs/schemas.md', 'utf8')
    const [, rest = ''] = page.split('### Where the gateway differs from the standard\n')
    const [section = ''] = rest.split('\n## ')
    const listed = [...section.matchAll(/^- (.+)$/gm)].map(([, reason]) => reason)
    expect(listed).to.deep.equal(exceptions.map(({ reason }) => reason))
  })
})
