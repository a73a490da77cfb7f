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
        '/ids/:id': {
          request: { bindings: { properties: { id: { type: 'integer', minimum: 0 } } } },
          validate_responses: 'enforce',
          get: {
            action: { type: 'wamp_call', procedure, args: ['{{request.bindings.id}}'] },
            response: {
              on_result: { ...response.on_result, schema: { type: 'integer', minimum: 0 } },
            },
          },
          post: {
            request: {
              body: { type: 'object', properties: { id: { type: 'integer', maximum: 0 } } },
            },
            action: { type: 'wamp_call', procedure, args: ['{{request.body.id}}'] },
            response,
          },
        },
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
    await gateway.mustLoad(document)
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

  for (const id of ['9007199254740993', '9223372036854775807', '18446744073709551615', '0']) {
    it(`keep every digit of ${id} on its way to a backend and back`, async () => {
      const answer = await fetch(`${gateway.url}/schemas/ids/${id}`)
      expect([answer.status, await answer.text()]).to.deep.equal([200, id])
    })
  }

  for (const id of ['18446744073709551616', '-1', '1e3', '1.0', '01', '0x1', '']) {
    it(`refuse ${id || 'an empty text'} as an id`, async () => {
      const { status } = await fetch(`${gateway.url}/schemas/ids/${id}`)
      expect(status).to.equal(id === '' ? 404 : 400)
    })
  }

  it('compare integers of a body exactly', async () => {
    const ask = async (id: string) => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: `{"id":${id}}` }
      const answer = await fetch(`${gateway.url}/schemas/ids/1`, init)
      return [answer.status, await answer.text()]
    }
    expect(await ask('-9007199254740993')).to.deep.equal([200, '-9007199254740993'])
    expect((await ask('9007199254740993'))[0]).to.equal(400)
  })

  it('are counted by /metrics where a request does not fit', async () => {
    const { status } = await post('count=0&gift=yes')
    expect(status).to.equal(400)
    const lines = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    expect(lines.split('\n')).to.include.members([
      'gateway_schema_mismatches_total{api="schemas",version="one",route="/schemas/forms",part="body",mode="enforce"} 2',
      'gateway_schema_compile_failures_total 0',
    ])
  })
})
