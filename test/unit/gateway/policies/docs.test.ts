/** The document of docs/policies.md loads, and its limits hold where the page says. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'

const text = readFileSync(new URL('../../../../docs/policies.md', import.meta.url), 'utf8')
const [, json = ''] = /```json\n(.*?)```/s.exec(text) ?? []

describe('the document of docs/policies.md', () => {
  it('loads without issues and warnings, each path with the limits that the page tells', () => {
    const { api, issues, warnings } = compileDocument(JSON.parse(json), { callTimeout: 30_000 })
    expect({ issues, warnings }).to.deep.equal({ issues: [], warnings: [] })
    const limits = api?.entries.map(({ routes }) => {
      const [route] = Object.values(routes).filter((each) => each.kind === undefined)
      return [route?.path.pattern, route?.inherited.policies?.limits?.map(({ name }) => name)]
    })
    expect(Object.fromEntries(limits ?? [])).to.deep.equal({
      '/[v1.0]/orders/:id': ['burst', 'minute'],
      '/[v1.0]/reports': ['reports'],
      '/[v1.0]/health': undefined,
    })
  })
})
