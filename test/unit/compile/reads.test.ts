/** What a load says of members of request-time data that cannot exist: bindings that a path lacks, slips in `security` and `action`. */
import { expect } from 'chai'
import { compileSpec } from '#component/compile/compile.ts'
import type { ApiSpec } from '#component/spec/model.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { call, documentOf } from '#test/unit/gateway/fake-exchange.ts'

/** Issues and warnings of a document with these paths. */
function load(paths: object, more: object = {}) {
  const { spec, issues } = validateSpec(documentOf(paths, more))
  expect(issues).to.deep.equal([])
  const compiled = compileSpec(spec as ApiSpec, { callTimeout: 30_000 })
  return { issues: compiled.issues, warnings: compiled.warnings }
}

const ofBinding = (name: string) => call({ args: [`{{request.bindings.${name}}}`] })
const at = '/versions/1.0/paths/~1orders~1:id/get'

describe('a binding that the path does not have', () => {
  it('is an issue that shows the expression and the nearest name', () => {
    const { issues } = load({ '/orders/:id': { get: ofBinding('di') } })
    expect(issues).to.deep.equal([
      {
        path: `${at}/action/args/0`,
        message:
          'there is no "request.bindings.di": the path /v1/orders/:id does not bind it; did you mean "id"? (column 3)\n' +
          '{{request.bindings.di}}\n' +
          '  ^^^^^^^^^^^^^^^^^^^',
      },
    ])
  })

  it('is an issue of the variable that reads it, and names the operation that uses it', () => {
    const variables = { order: 'o-{{request.bindings.id}}', unused: '{{request.bindings.none}}' }
    const uses = call({ args: ['{{variables.order}}'] })
    const { issues } = load(
      { '/orders/:id': { get: uses }, '/orders': { get: uses }, '/all': { get: call() } },
      { variables },
    )
    expect(issues.map(({ path }) => path)).to.deep.equal(['/variables/order'])
    expect(issues[0]?.message).to.contain('the path /v1/orders does not bind it')
    expect(issues[0]?.message).to.contain('(used by /versions/1.0/paths/~1orders/get)')
  })

  for (const [title, operation] of [
    ['in a header', call({}, { headers: { a: 'x{{request.bindings.no}}' } })],
    ['in the body of on_error', call({}, {}, { body: { a: ['{{request.bindings.no}}'] } })],
    [
      'in the path of a forward',
      { action: { type: 'forward', host: 'up', path: '/{{request.bindings.no}}' }, response: {} },
    ],
    ['in a timeout', call({ timeout: '{{request.bindings.no |> integer}}' })],
    ['in an argument', call({ args: ['{{request.body |> get({{request.bindings.no}})}}'] })],
  ] as const) {
    it(`is found ${title}`, () => {
      expect(load({ '/orders/:id': { get: operation } }).issues).to.have.length(1)
    })
  }

  it('is no issue where the path, its base or an optional segment has it', () => {
    const version = { base_path: '/:tenant' }
    const paths = {
      '/a/:id[/:part]/[...]': {
        get: call({
          args: ['id', 'part', 'tenant', 'rest'].map((name) => `{{request.bindings.${name}}}`),
        }),
      },
    }
    const { spec } = validateSpec(documentOf(paths, {}, version))
    expect(compileSpec(spec as ApiSpec, { callTimeout: 1 }).issues).to.deep.equal([])
  })

  it('is no issue where the expression says that it may be missing', () => {
    for (const text of [
      '{{request.bindings.no |> default(x)}}',
      '{{request.bindings |> get(no, x)}}',
    ]) {
      expect(load({ '/a': { get: call({ args: [text] }) } }).issues, text).to.deep.equal([])
    }
  })
})

describe('a member that security and action do not have', () => {
  const oauth2 = { type: 'oauth2', flow: 'client_credentials', schemes: ['http'] }
  for (const [title, operation, read] of [
    ['realm', call({ args: ['{{security.realm}}'] }), 'security.realm"; did you mean "realm_uri"?'],
    ['roles', call({ args: ['{{security.roles}}'] }), 'security.roles"; did you mean "authroles"?'],
    ['a result of a call', call({}, { body: '{{action.result.body}}' }), 'action.result.body"'],
    ['an error', call({}, {}, { body: '{{action.error.status}}' }), 'action.error.status"'],
    [
      'the result of a forward',
      {
        action: { type: 'forward', host: 'up' },
        response: { on_result: { body: '{{action.result.status}}' } },
      },
      'action.result.status"; did you mean "status_code"?',
    ],
  ] as const) {
    it(`is a warning: ${title}`, () => {
      const { issues, warnings } = load({ '/a': { get: operation } })
      expect(issues).to.deep.equal([])
      expect(warnings.map(({ message }) => message.split(' (column')[0])).to.deep.equal([
        `there is no "${read}`,
      ])
    })
  }

  it('is no warning for keys of the security object and of what an action gives', () => {
    const args = ['flow', 'type', 'authid', 'groups', 'meta.any', 'client_id'].map(
      (key) => `{{security.${key}}}`,
    )
    const body = [
      '{{action.result.args}}',
      '{{action.result.arguments_kw}}',
      '{{action.result.kwargs.any}}',
    ]
    const operation = call({ args }, { body }, { body: '{{action.error.error_uri}}' })
    expect(load({ '/a': { security: oauth2, get: operation } }).warnings).to.deep.equal([])
  })
})
