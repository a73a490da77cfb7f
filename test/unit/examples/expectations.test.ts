/** What is told of an example whose expectations do not hold. */
import { expect } from 'chai'
import { type Found, unmet } from '#component/examples/expectations.ts'

const found: Found = {
  status: 200,
  headers: { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] },
  body: { id: 7, big: 2n ** 60n, items: [{ sku: 'A' }, { sku: 'B' }] },
  actions: [{ type: 'wamp_call', procedure: 'com.example.get', args: [7], kwargs: {} }],
  frames: undefined,
  errorCode: undefined,
}

const noSchema = () => undefined

const told = (expected: object, changed: Partial<Found> = {}) =>
  unmet({ ...expected }, { ...found, ...changed }, '', noSchema).map(
    ({ path, message }) => `${path}: ${message}`,
  )

describe('expectations of an example', () => {
  for (const expected of [
    { status: 200 },
    { headers: { 'Content-Type': 'application/json', etag: null, 'set-cookie': ['a=1', 'b=2'] } },
    { body: { items: [{ sku: 'A' }, { sku: 'B' }], id: 7, big: 1152921504606846976n } },
    { action: { args: [7] } },
    { action: [{ procedure: 'com.example.get' }] },
    { action: {} },
  ]) {
    it(`hold: ${Object.keys(expected)} ${Object.keys(Object.values(expected)[0] ?? {})}`, () => {
      expect(told(expected)).to.deep.equal([])
    })
  }

  for (const [expected, ...lines] of [
    [{ status: 201 }, '/status: expected 201, found 200'],
    [{ headers: { location: '/x' } }, '/headers/location: expected "/x", found no such header'],
    [
      { headers: { 'content-type': null } },
      '/headers/content-type: expected no such header, found "application/json"',
    ],
    [
      { headers: { 'content-type': 'text/html' } },
      '/headers/content-type: expected "text/html", found "application/json"',
    ],
    [
      { headers: { 'set-cookie': 'a=1' } },
      '/headers/set-cookie: expected "a=1", found ["a=1","b=2"]',
    ],
    [
      { body: { id: '7', items: [{ sku: 'A' }], name: 'x' } },
      '/body/id: expected "7", found 7',
      '/body/big: expected nothing, found 1152921504606846976',
      '/body/items/1: expected nothing, found {"sku":"B"}',
      '/body/name: expected "x", found nothing',
    ],
    [
      { body: '' },
      '/body: expected "", found {"id":7,"big":1152921504606846976,"items":[{"sku":"A"},{"sku":"B"}]}',
    ],
    [{ action: { args: ['7'] } }, '/action/args/0: expected "7", found 7'],
    [
      { action: { topic: 'a' } },
      '/action/topic: expected "a"; the action is told only type, procedure, args, kwargs',
    ],
    [
      { action: null },
      '/action: expected that the action is not reached, found {"type":"wamp_call","procedure":"com.example.get","args":[7],"kwargs":{}}',
    ],
    [{ action: [{}, {}] }, '/action: expected 2 actions, found 1'],
    [{ error_code: 'a.b' }, '/error_code: expected the error "a.b", found no error'],
  ] as const) {
    it(`do not hold: ${lines[0].slice(0, 80)}`, () => {
      expect([...told(expected)].sort()).to.deep.equal([...lines].sort())
    })
  }

  it('of an action that was not reached do not hold', () => {
    expect(told({ action: {} }, { actions: [] })).to.deep.equal([
      '/action: expected an action, which was not reached',
    ])
    expect(told({ action: null }, { actions: [] })).to.deep.equal([])
  })

  it('are about the last action where a list of actions ran', () => {
    const actions = [{ topic: 'a' }, { topic: 'b' }]
    expect(told({ action: { topic: 'b' } }, { actions })).to.deep.equal([])
    expect(told({ action: [{ topic: 'a' }, { topic: 'a' }] }, { actions })).to.deep.equal([
      '/action/1/topic: expected "a", found "b"',
    ])
  })

  it('name the code of the error', () => {
    const errorCode = 'com.example.error'
    expect(told({ error_code: errorCode }, { errorCode })).to.deep.equal([])
    expect(told({ error_code: 'x' }, { errorCode })).to.deep.equal([
      '/error_code: expected "x", found "com.example.error"',
    ])
  })

  it('that differ in many places tell ten of them', () => {
    const body = Array.from({ length: 25 }, (_, i) => i)
    const lines = told({ body: body.map((each) => each + 1) }, { body })
    expect(lines).to.have.length(11)
    expect(lines[10]).to.equal('/body: and 15 more differences')
  })

  it('cut long values', () => {
    const [line] = told({ body: 'x' }, { body: 'y'.repeat(10_000) })
    expect(line).to.have.length.below(260)
  })

  it('are told where a body does not fit its schema', () => {
    const check = () => [{ path: '/id', message: 'must be string' }]
    expect(unmet({ body_matches: {} }, found, '/expect', check)).to.deep.equal([
      { path: '/expect/body_matches', message: '/id: must be string' },
    ])
  })
})
