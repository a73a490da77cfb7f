/** JSON Schemas over HTTP and WAMP: forms, forwards, what backends receive, and what /metrics counts. */
import { expect } from 'chai'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { Session } from '#component/wamp/session.ts'
import { basics } from '#test/contract/session/support.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const procedure = 'com.example.schemas.echo'

const form = {
  type: 'object',
  required: ['count'],
  properties: {
    count: { type: 'integer', minimum: 1 },
    tags: { type: 'array', items: { type: 'integer' } },
    gift: { type: 'boolean' },
  },
}
const response = { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} }

const document = {
  ...{ id: 'schemas', host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/schemas',
      paths: {
        '/forms': {
          accepts: ['application/x-www-form-urlencoded', 'application/json'],
          post: {
            request: { body: form },
            action: { type: 'wamp_call', procedure, args: ['{{request.body}}'] },
            response,
          },
        },
      },
    },
  },
}

describe('JSON Schemas of a running gateway', () => {
  let gateway: TestGateway
  let backend: Session

  const post = async (body: string, type = 'application/x-www-form-urlencoded') => {
    const headers = { 'content-type': type }
    const answer = await fetch(`${gateway.url}/schemas/forms`, { method: 'POST', headers, body })
    return { status: answer.status, body: await answer.text() }
  }

  before(async () => {
    gateway = await startGateway()
    expect((await gateway.load(document)).status).to.equal(201)
    const session = componentSession({ ...basics, url: gateway.routerUrl })
    backend = session
    expect(await session.joined(10_000)).to.equal(true)
    await backend.register(procedure, ({ args }) => ({ args, kwargs: {} }))
  })
  after(async () => {
    await backend?.leave()
    await gateway?.stop()
  })

  it('read the fields of a form, and every value of a repeated one', async () => {
    expect(await post('count=2&tags=1&tags=2&gift=true&note=7')).to.deep.equal({
      status: 200,
      body: '{"count":2,"tags":[1,2],"gift":true,"note":"7"}',
    })
    expect(await post('count=2&tags=1')).to.deep.include({ body: '{"count":2,"tags":[1]}' })
  })

  it('read no field of a JSON body', async () => {
    const { status, body } = await post('{"count":"2"}', 'application/json')
    expect(status).to.equal(400)
    expect(JSON.parse(body).details).to.deep.equal([
      { path: '/body/count', message: 'must be integer' },
    ])
  })

  it('are counted by /metrics where a request does not fit', async () => {
    const { status } = await post('count=0&gift=yes')
    expect(status).to.equal(400)
    const lines = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    expect(lines.split('\n')).to.include.members([
      'gateway_schema_mismatches_total{route="/schemas/forms",part="body",mode="enforce"} 2',
      'gateway_schema_compile_failures_total 0',
    ])
  })
})
