/** Explanations of calls of procedures: which one answers, what is checked, what the action is told, and what the caller gets. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { explanationSchema } from '#component/explain/explanation/explanation-schema.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { explained, logged } from './explained.ts'

const isExplanation = new Ajv2020({ strict: false }).compile(explanationSchema)

const at = '/procedures/com.example.invoice.get'
const forward = { type: 'forward', host: 'http://up', http_method: 'get' }

const document = {
  ...{ id: 'com.example.billing', realm_uri: 'com.example' },
  error_uris: { 404: 'com.example.error.no_such_invoice' },
  procedures: {
    'com.example.invoice.get': {
      ...{ callers: { roles: ['staff'] }, timeout: 5000 },
      input: { kwargs: { required: ['id'], properties: { id: { type: 'string' } } } },
      action: {
        ...forward,
        path: '/invoices/{{invocation.kwargs.id}}',
        headers: { 'x-user': '{{invocation.caller.authid}}' },
      },
      response: { on_result: { args: ['{{action.result.body}}'] } },
    },
    'com.example.log.': {
      match: 'prefix',
      action: { ...forward, path: '/{{invocation.components |> nth(4)}}' },
      response: { on_progress: { args: ['{{action.progress.data}}'] } },
    },
    'com.example.log.audit.': { match: 'prefix', action: { type: 'static', body: 'audit' } },
    'com.example..of': { match: 'wildcard', action: { type: 'static', body: 'of' } },
    'com.example.chain': {
      action: [
        { type: 'wamp_call', procedure: 'com.example.rate' },
        { ...forward, path: '/{{action.result.args |> head}}' },
      ],
    },
  },
}
const versions = {
  '1': {
    base_path: '/v1',
    paths: {
      '/a': { get: { action: { type: 'static' }, response: { on_result: {}, on_error: {} } } },
    },
  },
}

async function called(invocation: JsonMap, more: JsonMap = {}, from: JsonMap = document) {
  const explanation = await explained({ invocation, ...more }, [from])
  expect(isExplanation(explanation), JSON.stringify(isExplanation.errors)).to.equal(true)
  return explanation
}

const ada = { authid: 'ada', authroles: ['staff'] }
const invoice = { procedure: 'com.example.invoice.get', kwargs: { id: '7' }, caller: ada }

describe('the explanation of a call', () => {
  it('tells the procedure, the checks, what the action is told, and the result', async () => {
    const outcome = { result: { body: { total: 5 } } }
    const { matched, procedure, checks, rules, action, response, answer, problem, expressions } =
      await called(invoice, { outcome })
    expect(matched).to.equal(null)
    expect(procedure).to.deep.equal({
      ...{ id: 'com.example.billing', realm_uri: 'com.example', uri: invoice.procedure },
      ...{ match: 'exact', path: at },
    })
    expect(checks).to.deep.equal([
      { step: 'caller', passed: true, caller: { ...ada, authrole: 'staff' } },
      { step: 'schema', passed: true, read: {}, mode: 'enforce' },
    ])
    expect(rules).to.deep.include({ timeout: { value: 5000, at: `${at}/timeout` } })
    expect(rules).not.to.have.any.keys('accepts', 'security', 'schemes')
    expect(action).to.include({ type: 'forward', uri: 'http://up/invoices/7' })
    expect(action).to.have.nested.property('headers.x-user', 'ada')
    expect(answer).to.deep.equal({
      is_sample: false,
      result: { args: [{ total: 5 }], kwargs: {} },
    })
    expect({ response, problem }).to.deep.equal({ response: null, problem: null })
    expect(expressions.map((one) => one.at)).to.include(`${at}/action/path`)
    expect(logged.at(-1)?.[0]).to.deep.include({
      ...{ api_spec: 'com.example.billing', procedure: invoice.procedure },
    })
  })

  const refused: readonly (readonly [what: string, call: JsonMap, uri: string])[] = [
    ['an undisclosed caller', { ...invoice, caller: {} }, 'wamp.error.not_authorized'],
    ['another role', { ...invoice, caller: { authid: 'bo' } }, 'wamp.error.not_authorized'],
    ['wrong arguments', { ...invoice, kwargs: { id: 7 } }, 'wamp.error.invalid_argument'],
    [
      'a forged forward_for',
      { ...invoice, details: { forward_for: [{ authid: 'root', authrole: 'staff' }] } },
      'wamp.error.not_authorized',
    ],
  ]
  for (const [what, call, uri] of refused) {
    it(`tells why a call is refused: ${what}`, async () => {
      const { answer, action, checks, problem } = await called(call)
      expect(checks.at(-1)).to.include({ passed: false })
      expect(action).to.equal(null)
      expect(answer?.error?.error_uri).to.equal(uri)
      expect(problem).to.include({ code: uri })
    })
  }

  it('tells the error URI for the status of an upstream', async () => {
    const outcome = { error: { status_code: 404, body: 'gone' } }
    const { answer } = await called(invoice, { outcome })
    expect(answer?.error).to.deep.include({
      error_uri: 'com.example.error.no_such_invoice',
      kwargs: { status_code: 404, body: 'gone' },
    })
  })

  it('tells the progressive results to a caller that wants them', async () => {
    const outcome = {
      result: { headers: { 'content-type': 'application/x-ndjson' }, body: '1\n2\n' },
    }
    const call = { procedure: 'com.example.log.web' }
    const wanted = { ...call, details: { receive_progress: true } }
    const { answer } = await called(wanted, { outcome })
    const piece = (data: number) => ({ args: [data], kwargs: {} })
    expect(answer).to.deep.include({
      progress: [piece(1), piece(2)],
      result: { args: [], kwargs: {} },
    })
    expect((await called(call, { outcome })).answer).to.deep.equal({
      is_sample: false,
      result: { args: [[1, 2]], kwargs: {} },
    })
  })

  it('has a sample where no outcome is given, and a run for each of several', async () => {
    const { answer } = await called(invoice)
    expect(answer?.is_sample).to.equal(true)
    const outcome = { good: { result: { body: 1 } }, bad: { error: { status_code: 503 } } }
    const { outcomes } = await called(invoice, { outcome })
    expect(outcomes?.good?.answer?.result?.args).to.deep.equal([1])
    expect(outcomes?.bad?.answer?.error?.error_uri).to.equal('service.error.unavailable')
  })

  it('gives each action of a list its outcome', async () => {
    const outcome = [{ result: { args: [7] } }, { result: { body: 'seven' } }]
    const { action, answer } = await called({ procedure: 'com.example.chain' }, { outcome })
    expect(action).to.have.nested.property('[1].uri', 'http://up/7')
    expect(answer?.result?.args).to.deep.equal(['seven'])
  })

  const matches: readonly (readonly [uri: string, registered: string | null])[] = [
    ['com.example.invoice.get', 'com.example.invoice.get'],
    ['com.example.log.of', 'com.example.log.'],
    ['com.example.log.audit.x', 'com.example.log.audit.'],
    ['com.example.list.of', 'com.example..of'],
    ['com.example.of', null],
    ['com.example.none', null],
  ]
  for (const [uri, registered] of matches) {
    it(`finds what a router would: ${uri} is answered by ${registered}`, async () => {
      const { procedure, problem } = await called({
        procedure: uri,
        kwargs: { id: '7' },
        caller: ada,
      })
      expect(procedure?.uri ?? null).to.equal(registered)
      expect(problem?.code).to.equal(registered ? undefined : 'service.error.not_found')
    })
  }

  it('is of one realm where the call names one', async () => {
    const { procedure } = await called({ ...invoice, realm_uri: 'com.other' })
    expect(procedure).to.equal(null)
  })

  it('is of a document that has paths, too', async () => {
    const { procedure, answer } = await called(invoice, {}, { ...document, host: '_', versions })
    expect(procedure?.path).to.equal(at)
    expect(answer?.result).not.to.equal(undefined)
  })

  it('shows no secret of the arguments', async () => {
    const kwargs = { id: 'hunter2', password: 'hunter2' }
    const explanation = await called({ ...invoice, kwargs })
    expect(JSON.stringify(explanation)).not.to.include('hunter2')
  })
})
