/** Examples of procedures: a call, what its action comes to, and what its caller gets. */
import { expect } from 'chai'
import { testDocument } from '#component/examples/examples.ts'
import { examplePorts } from './ports.ts'

const uri = 'com.example.invoice.get'
const forward = { type: 'forward', host: 'http://up', http_method: 'get' }
const ofInvoice = {
  callers: { roles: ['staff'] },
  input: { kwargs: { required: ['id'] } },
  action: {
    ...forward,
    path: '/invoices/{{invocation.kwargs.id}}',
    query_string: 'by={{security.authid}}',
  },
  response: { on_result: { args: ['{{action.result.body}}'] } },
}
const ofLog = {
  match: 'prefix',
  action: { ...forward, path: '/tail/{{invocation.components |> nth(4)}}' },
}

async function reportOf(procedure: object, example: object, at = uri) {
  const document = {
    ...{ id: 'com.example.billing', realm_uri: 'com.example' },
    error_uris: { 404: 'com.example.error.no_such_invoice' },
    procedures: { [at]: { ...procedure, examples: { one: example } } },
  }
  const { report, issues } = await testDocument(document, examplePorts)
  expect(issues).to.deep.equal([])
  return report
}

const id = { id: '9' }
const noInvoice = { error: { status_code: 404 } }
const found = { result: { body: { total: 5 } } }

describe('examples of procedures', () => {
  const holding: readonly (readonly [what: string, example: object])[] = [
    [
      'a result, for "example", who may call',
      {
        invocation: { kwargs: id },
        outcome: found,
        expect: {
          result: { args: [{ total: 5 }], kwargs: {} },
          error_uri: null,
          action: { path: '/invoices/9', query_string: 'by=example' },
        },
      },
    ],
    [
      'a status without an error URI',
      {
        invocation: { kwargs: id, caller: { authid: 'ada', authroles: ['staff'] } },
        outcome: noInvoice,
        expect: {
          error_uri: 'com.example.error.no_such_invoice',
          action: { query_string: 'by=ada' },
        },
      },
    ],
    [
      'an undisclosed caller',
      {
        invocation: { kwargs: id, caller: {} },
        expect: { error_uri: 'wamp.error.not_authorized', action: null },
      },
    ],
    [
      'arguments that do not fit',
      { expect: { error_uri: 'wamp.error.invalid_argument', action: null } },
    ],
  ]
  for (const [what, example] of holding) {
    it(`hold: ${what}`, async () => {
      const report = await reportOf(ofInvoice, example)
      expect(report?.results.flatMap(({ problems }) => problems)).to.deep.equal([])
      expect(report).to.deep.include({ passed: 1, operations: 1, uncovered: [] })
    })
  }

  const failing: readonly (readonly [what: string, example: object, problem: string])[] = [
    [
      'another result',
      { invocation: { kwargs: id }, outcome: found, expect: { result: { args: [{ total: 6 }] } } },
      'expect/result/args/0/total: expected 6, found 5\n{{action.result.body}}: action.result.body = {"total":5}',
    ],
    [
      'an error in place of a result',
      { invocation: { kwargs: id }, outcome: noInvoice, expect: { result: {} } },
      'expect/result: expected a result, found the error "com.example.error.no_such_invoice" {"args":["the upstream returned 404"],"kwargs":{"status_code":404,"body":""}}',
    ],
    [
      'a result in place of an error',
      { invocation: { kwargs: id }, outcome: found, expect: { error_uri: 'a.b' } },
      'expect/error_uri: expected the error "a.b", found the result {"args":[{"total":5}],"kwargs":{}}\n{{invocation.kwargs.id}}: invocation.kwargs.id = "9"\n{{security.authid}}: security.authid = "example"',
    ],
    [
      'an action that is not reached',
      { expect: { action: { path: '/' } } },
      'expect/action: expected an action, which was not reached',
    ],
    [
      'an outcome of another action',
      { invocation: { kwargs: id }, outcome: { pieces: [] }, expect: { result: {} } },
      'outcome/pieces: only a call with on_progress has pieces',
    ],
    [
      'another procedure',
      { invocation: { procedure: 'a.b' }, expect: { result: {} } },
      `invocation/procedure: the procedure ${uri} (exact) does not match a.b`,
    ],
  ]
  for (const [what, example, problem] of failing) {
    it(`fail, and tell why: ${what}`, async () => {
      const report = await reportOf(ofInvoice, example)
      const [first] = report?.results.flatMap(({ problems }) => problems) ?? []
      const place = first?.path.split('/examples/one/')[1]
      expect(`${place}: ${first?.message}`).to.equal(problem)
    })
  }

  it('of a pattern name the URI that is called', async () => {
    const expected = { action: { path: '/tail/web' } }
    const named = { invocation: { procedure: 'com.example.log.web' }, expect: expected }
    expect(await reportOf(ofLog, named, 'com.example.log.')).to.include({ passed: 1 })
    const report = await reportOf(ofLog, { expect: expected }, 'com.example.log.')
    const [first] = report?.results.flatMap(({ problems }) => problems) ?? []
    expect(first?.message).to.equal(
      'the procedure is a pattern (prefix): name the URI that is called',
    )
  })
})
