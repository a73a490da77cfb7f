/** What compiled actions are named after: the document alone. */
import { expect } from 'chai'
import { documentOf, serve } from '#test/unit/gateway/fake-exchange.ts'

const response = { on_result: {}, on_error: {} }
const long = 'x'.repeat(300)

/** The targets of the one operation of a document. */
async function targetsOf(action: unknown, operation: unknown = { action, response }) {
  const variables = {
    backend: 'http://orders.internal:3000',
    procedure: 'com.{{request.bindings.id}}.get',
    action: { type: 'wamp_call', procedure: 'com.{{request.bindings.id}}.get' },
    lone: { type: 'wamp_call', procedure: '{{request.bindings.id}}' },
    operation: { action: { type: 'wamp_call', procedure: 'com.example.p' }, response },
  }
  const document = documentOf({ '/x/:id': { get: operation } }, { variables })
  const { ask, performed } = serve(document)
  await ask('GET /v1/x/com.secret')
  return performed.map(({ run }) => run.target)
}

const call = (procedure: string) => ({ type: 'wamp_call', procedure })
const forward = (host: string) => ({ type: 'forward', host, path: '/' })

const cases: readonly (readonly [title: string, action: object, text: string, literal?: string])[] =
  [
    ['a procedure', call('com.example.p'), 'com.example.p', 'com.example.p'],
    ['a topic', { type: 'wamp_publish', topic: 'com.example.t' }, 'com.example.t', 'com.example.t'],
    ['an upstream', forward('http://a.example:80'), 'http://a.example', 'http://a.example'],
    [
      'an upstream without a scheme',
      forward('A.example:8080'),
      'http://a.example:8080',
      'http://a.example:8080',
    ],
    [
      'a variable',
      forward('{{variables.backend}}'),
      'http://orders.internal:3000',
      'http://orders.internal:3000',
    ],
    ['an expression', call('{{request.bindings.id}}'), '{{request.bindings.id}}'],
    [
      'text with an expression',
      call('com.{{ request.bindings.id }}.get'),
      'com.{{ request.bindings.id }}.get',
    ],
    ['a variable with an expression', call('{{variables.procedure}}'), '{{variables.procedure}}'],
    [
      'a computed host',
      forward('{{request.bindings.id}}.example'),
      '{{request.bindings.id}}.example',
    ],
    [
      'a long expression',
      call(`{{request.bindings.id}}.${long}`),
      `{{request.bindings.id}}.${long}`.slice(0, 200),
    ],
  ]

describe('the target of an action', () => {
  for (const [title, action, text, literal] of cases) {
    it(`is ${title} as the document writes it`, async () => {
      const [target] = await targetsOf(action)
      expect(target).to.include({
        ...{ type: (action as { type: string }).type, text, literal },
        ...{ api: 'com.example.test', version: '1.0', route: '/v1/x/:id' },
      })
      expect(target?.served).to.include({ api: 'com.example.test', label: '1.0' })
    })
  }

  for (const [title, action, text] of [
    ['yields the action', '{{variables.action}}', 'com.{{request.bindings.id}}.get'],
    [
      'yields an action with a path of the request',
      '{{variables.lone}}',
      '{{request.bindings.id}}',
    ],
  ] as const) {
    it(`is the text behind an expression that ${title}`, async () => {
      const [target] = await targetsOf(action)
      expect(target).to.include({ text, literal: undefined })
    })
  }

  it('is found where an expression yields the operation', async () => {
    const [target] = await targetsOf(undefined, '{{variables.operation}}')
    expect(target).to.include({ text: 'com.example.p', literal: 'com.example.p' })
  })

  it('is one for each action of a list', async () => {
    const targets = await targetsOf([call('com.example.a'), call('com.{{request.bindings.id}}')])
    expect(targets.map(({ text }) => text)).to.deep.equal([
      'com.example.a',
      'com.{{request.bindings.id}}',
    ])
  })

  it('is the same object for all requests', async () => {
    const { ask, performed } = serve(
      documentOf({ '/x': { get: { action: call('com.example.p'), response } } }),
    )
    await ask('GET /v1/x')
    await ask('GET /v1/x')
    expect(performed[0]?.run.target).to.equal(performed[1]?.run.target)
  })
})
