/** Holds the rows of policies together: each has its page, its rule, and what serves it; their stages stand in one order. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { servedPolicies } from '#component/policies/index.ts'
import { policyKinds } from '#component/policies/kinds.ts'

const root = join(import.meta.dirname, '../../..')

/** Each policy as a document writes it. */
const declared = {
  rate_limit: [
    { amount: 10, window: 60, per: 'address' },
    { amount: 5, window: 60, name: 'user' },
  ],
  quota: { amount: 10, window: 'day' },
  etag: true,
  ranges: true,
  cache: { ttl: 60 },
  circuit_breaker: {},
  idempotency: {},
  compress: true,
}

function namesOf(method: 'get' | 'post' | 'options', policies: object): readonly string[] {
  const action = { type: 'forward', host: 'http://127.0.0.1:1' }
  const operation = { ...policies, action, response: { on_result: {}, on_error: {} } }
  const version = { base_path: '/[v1.0]', paths: { '/x': { [method]: operation } } }
  const document = {
    id: 'com.example.x',
    host: '_',
    realm_uri: 'com.example',
    versions: { '1.0': version },
  }
  const { api, issues } = compileDocument(document, { callTimeout: 30_000 })
  expect(issues).to.deep.equal([])
  const route = api?.entries[0]?.routes[method]
  return route?.kind === undefined ? (route?.stages.map(({ name }) => name) ?? []) : []
}

describe('the rows of policies', () => {
  const page = readFileSync(join(root, 'docs/policies.md'), 'utf8')
  for (const { key, rule } of policyKinds) {
    it(`have a section of docs/policies.md and a described rule: ${key}`, () => {
      expect(page).to.match(new RegExp(`^## ${key}$`, 'm'))
      expect(JSON.stringify(rule.schema)).to.include('"description"')
      expect(declared).to.have.property(key)
    })
  }

  it('have one stage each at least, and names of their own', () => {
    const names = servedPolicies.map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
    for (const { stages } of servedPolicies) expect(stages.length).to.be.greaterThan(0)
  })

  it('give GET their stages in this order', () => {
    expect(namesOf('get', declared)).to.deep.equal([
      ...['compress', 'limit.address', 'limit', 'breaker', 'ranges', 'etag', 'cache'],
      ...['action', 'render'],
    ])
  })

  it('give POST their stages in this order', () => {
    expect(namesOf('post', declared)).to.deep.equal([
      ...['compress', 'limit.address', 'limit', 'breaker', 'etag', 'idempotency.key', 'body'],
      ...['invalidate', 'idempotency', 'action', 'render'],
    ])
  })

  it('give OPTIONS no stage', () => {
    expect(namesOf('options', declared)).to.deep.equal(namesOf('options', {}))
  })

  it('give an operation without them no stage but the one that drops kept answers', () => {
    expect(namesOf('get', {})).to.deep.equal(['action', 'render'])
    expect(namesOf('post', {})).to.deep.equal(['body', 'invalidate', 'action', 'render'])
  })
})
