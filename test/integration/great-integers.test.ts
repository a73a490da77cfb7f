/** Integers beyond 64 bits in WAMP options and arguments: refused at once, or kept as the floats they are; never a request that hangs. */
import { expect } from 'chai'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { Session } from '#component/wamp/session.ts'
import { basics } from '#test/contract/session/support.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const huge = `1${'0'.repeat(30)}`
const procedure = 'com.example.great_integers.echo'

const call = (options: unknown) => ({
  action: {
    ...{ type: 'wamp_call', procedure, options, timeout: 3_000 },
    args: ['{{request.body |> get(arg, none)}}'],
  },
  response: {
    on_result: { body: '{{action.result.args |> head}}' },
    on_error: {
      status_code: '{{status_codes |> get({{action.error.error_uri}}, 500)}}',
      body: '{{action.error.error_uri}}',
    },
  },
})

const document = {
  ...{ id: 'great-integers', host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/great',
      paths: {
        '/call': { post: call({ timeout: '{{request.body.timeout}}' }) },
        '/echo': { post: call({}) },
        '/meta': { post: call({ _meta: '{{request.body.meta}}' }) },
      },
    },
  },
}

describe('integers beyond 64 bits', () => {
  let gateway: TestGateway
  let backend: Session

  /** Sends the text as it is: JSON.stringify would round it. */
  const post = async (url: string, body: string) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url, { method: 'POST', headers, body })
    const found: unknown = await answer.json()
    const code = typeof found === 'object' ? (found as { readonly code?: string }).code : undefined
    return { status: answer.status, found, code }
  }

  before(async () => {
    gateway = await startGateway()
    await gateway.mustLoad(document)
    const session = componentSession({ ...basics, url: gateway.routerUrl })
    backend = session
    expect(await session.joined(10_000)).to.equal(true)
    await session.register(procedure, ({ args }) => ({ args, kwargs: {} }))
  })
  after(async () => {
    await backend?.leave()
    await gateway?.stop()
  })

  for (const [what, path, body, status, code] of [
    ['in the body of a request', 'call', `{"timeout": ${huge}}`, 400, 'service.error.bad_request'],
    ['as arguments', 'echo', `{"arg": ${huge}}`, 400, 'service.error.bad_request'],
    ['as options', 'call', '{"timeout": 1e30}', 400, 'wamp.error.option_not_allowed'],
    [
      'as options that JSON writes in full',
      'call',
      '{"timeout": 1e20}',
      400,
      'wamp.error.option_not_allowed',
    ],
  ] as const) {
    it(`are refused ${what}`, async () => {
      const answer = await post(`${gateway.url}/great/${path}`, body)
      expect(answer).to.include({ status, code })
    })
  }

  for (const arg of [1e20, -1e19, 6.02e23, 1e30, 2 ** 64]) {
    it(`stay floats where they are written as such: ${arg.toExponential()}`, async () => {
      const found = await post(`${gateway.url}/great/echo`, `{"arg": ${arg.toExponential()}}`)
      expect(found).to.include({ status: 200, found: arg })
      const meta = await post(`${gateway.url}/great/meta`, `{"meta": ${arg.toExponential()}}`)
      expect(meta).to.include({ status: 200, found: 'none' })
    })
  }

  it('are refused in a document, when it is loaded', async () => {
    const text = JSON.stringify({
      ...document,
      versions: { one: { base_path: '/x', paths: { '/a': { get: call({ timeout: 'HUGE' }) } } } },
    })
    const answer = await post(`${gateway.adminUrl}/api_specs`, text.replace('"HUGE"', huge))
    expect(answer).to.include({ status: 400, code: 'wamp.error.invalid_argument' })
    expect(answer.found).to.have.property('message').that.includes('more than 64 bits')
  })
})
