/** Examples of operations with policies: limits do not hold, and conditional requests are answered. */
import { hash } from 'node:crypto'
import { expect } from 'chai'
import { call, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { problemsOf } from './one-example.ts'

const limited = { rate_limit: { amount: 1, window: 86_400, cost: 1000 } }
const noFields = { ratelimit: null, 'ratelimit-policy': null }
const bindings = { id: '1' }

describe('an example', () => {
  it('runs without rate limits', async () => {
    const example = { request: { bindings }, expect: { status: 200, headers: noFields } }
    for (let count = 0; count < 3; count += 1) {
      expect(await problemsOf({ ...fixed('a'), ...limited }, example)).to.deep.equal([])
    }
  })

  it('has the ETag of the answer and the value of its body, or 304', async () => {
    const operation = { ...call({}, { body: '{{action.result.kwargs}}' }), etag: true }
    const body = { total: 2 ** 40, items: [] }
    const outcome = { result: { kwargs: body } }
    const digest = hash('sha256', JSON.stringify(body), 'base64url')
    const etag = `"${digest.slice(0, 22)}"`
    for (const [headers, expected] of [
      [{}, { status: 200, headers: { etag }, body }],
      [{ 'If-None-Match': etag }, { status: 304, headers: { etag }, body: '' }],
      [{ 'If-None-Match': '"another"' }, { status: 200, headers: { etag }, body }],
    ] as const) {
      const example = { request: { bindings, headers }, outcome, expect: expected }
      expect(await problemsOf(operation, example)).to.deep.equal([])
    }
  })
})
