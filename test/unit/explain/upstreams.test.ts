/** What is told of a forward to an upstream. */
import { expect } from 'chai'
import { rehearse } from './rehearse.ts'

const document = {
  ...{ id: 'com.example.orders', host: '_', realm_uri: 'com.example.test' },
  versions: {
    1: {
      base_path: '/v1',
      paths: {
        '/orders/:id': {
          get: {
            action: {
              ...{
                type: 'forward',
                upstream: 'billing',
                path: '/invoices/{{request.bindings.id}}',
              },
              hash: '{{request.bindings.id}}',
              group: "{{request.headers |> get(x-canary, '')}}",
            },
            response: {},
          },
        },
      },
    },
  },
}
const request = { method: 'get', path: '/v1/orders/7', headers: { 'x-canary': 'canary' } } as const

describe('a rehearsed forward to an upstream', () => {
  it('names it with its hash and group, and needs no realm', async () => {
    const { actions, sent } = await rehearse(document, {
      request,
      outcome: { result: { status_code: 200, body: { id: 7 } } },
    })
    expect(actions).to.have.lengthOf(1)
    expect(actions[0]).to.include({ upstream: 'billing', hash: '7', group: 'canary' })
    expect(actions[0]).to.include({ path: '/invoices/7', host: 'upstream:billing' })
    expect(actions[0]).not.to.have.property('targets')
    expect(sent?.status).to.equal(200)
  })

  it('has the targets of the realm, where they are known', async () => {
    const targets = [{ url: 'http://10.0.0.5', state: 'out' }]
    const { actions } = await rehearse(
      document,
      { request },
      {
        targetsOf: (realm_uri, name) =>
          realm_uri === 'com.example.test' && name === 'billing' ? targets : undefined,
      },
    )
    expect(actions[0]).to.deep.include({ targets })
  })
})
