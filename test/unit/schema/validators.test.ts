/** Values checked against schemas. */
import { expect } from 'chai'
import { type Findings, judging } from '#component/schema/judge.ts'
import { told } from '#component/schema/mistakes.ts'
import { Validators } from '#component/schema/validators.ts'
import { runAtOnce } from '#component/yielding.ts'

const named = {
  Item: {
    type: 'object',
    required: ['sku', 'count'],
    additionalProperties: false,
    properties: {
      sku: { type: 'string', pattern: '^[A-Z0-9-]{3,20}$' },
      count: { type: 'integer', minimum: 1, maximum: 1000 },
    },
  },
}
const order = {
  type: 'object',
  required: ['customer', 'items'],
  properties: {
    customer: { type: 'string' },
    items: { type: 'array', minItems: 1, maxItems: 100, items: { $ref: '#/schemas/Item' } },
  },
}

describe('Validators', () => {
  it('tells every mistake with its place', async () => {
    const findings: Findings = { issues: [], warnings: [] }
    runAtOnce(judging([{ schema: order, at: '/x' }], named, findings))
    expect(findings).to.deep.equal({ issues: [], warnings: [] })
    const validators = new Validators()
    const validator = validators.of(order, named)
    await validators.compileAhead([validator], () => undefined)
    const mistakes = validator.mistakesOf(
      { customer: 7, items: [{ sku: 'a', count: 0, x: 1 }] },
      '/body',
    )
    expect(told(mistakes ?? [])).to.deep.equal([
      { path: '/body/customer', message: 'must be string' },
      { path: '/body/items/0/x', message: 'unknown property' },
      { path: '/body/items/0/sku', message: 'must match pattern "^[A-Z0-9-]{3,20}$"' },
      { path: '/body/items/0/count', message: 'must be >= 1' },
    ])
  })
})
