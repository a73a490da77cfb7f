/** The document of docs/policies.md loads, and its limits and quotas hold where the page says. */

import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { quota, rateLimit } from '#component/policies/limits/kind.ts'
import { policiesDocument } from '#test/support/pages/policies.ts'

describe('the document of docs/policies.md', () => {
  it('loads without issues and warnings, each path with the limits and quotas that the page tells', () => {
    const { api, issues, warnings } = compileDocument(policiesDocument(), { callTimeout: 30_000 })
    expect({ issues, warnings }).to.deep.equal({ issues: [], warnings: [] })
    const limits = api?.entries.map(({ routes }) => {
      const [route] = Object.values(routes).filter((each) => each.kind === undefined)
      const plans = route?.inherited.policies
      const held = [...(rateLimit.planOf(plans) ?? []), ...(quota.planOf(plans) ?? [])]
      return [route?.path.pattern, held.map(({ name }) => name)]
    })
    expect(Object.fromEntries(limits ?? [])).to.deep.equal({
      '/[v1.0]/orders/:id': ['burst', 'minute'],
      '/[v1.0]/reports': ['reports', 'month'],
      '/[v1.0]/health': [],
    })
    const [reports] = api?.entries.filter(({ pattern }) => pattern.endsWith('/reports')) ?? []
    const { post } = reports?.routes ?? {}
    const policies = post?.kind === undefined ? post?.inherited.policies : undefined
    expect(policies?.idempotency).to.include({ isRequired: true, keptMs: 86_400_000 })
  })
})
