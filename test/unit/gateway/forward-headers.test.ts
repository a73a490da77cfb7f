/** Headers of a forward: what only a gateway may tell an upstream comes from the document, never in a copy of the client's. */
import { expect } from 'chai'
import { upstreamHeaders } from '#component/action/headers.ts'
import { documentOf, serve } from './fake-exchange.ts'

const sent = {
  'x-a': 'a',
  'x-service-user': 'kim',
  'x-forwarded-user': 'kim',
  'x-forwarded-for': '6.6.6.6',
  'x-real-ip': '6.6.6.6',
  proxy: 'http://evil.com',
  x_service_user: 'kim',
  forwarded: 'for=6.6.6.6',
}

const way = {
  via: '1.1 gateway',
  'x-forwarded-for': '192.0.2.1',
  'x-forwarded-host': 'localhost',
  'x-forwarded-proto': 'http',
}

describe('the headers of a forward', () => {
  const rows: readonly [headers: unknown, expected: object][] = [
    [undefined, { 'x-a': 'a' }],
    ['{{request.headers}}', { 'x-a': 'a' }],
    ['{{variables.all}}', { 'x-a': 'a' }],
    ['{{request.headers |> without([x-a])}}', {}],
    ['{{request.headers |> put(x-b, b)}}', { 'x-a': 'a', 'x-b': 'b' }],
    ['{{request |> get(headers)}}', { 'x-a': 'a' }],
    // what the document sets passes, also where the client sent the same
    ['{{request.headers |> put(x-service-user, kim)}}', { 'x-a': 'a', 'x-service-user': 'kim' }],
    [
      '{{request.headers |> merge({{variables.user}})}}',
      { 'x-a': 'a', 'x-service-user': 'anonymous' },
    ],
    [
      '{{request.headers |> merge({{variables.user}}, _)}}',
      { 'x-a': 'a', 'x-service-user': 'anonymous' },
    ],
    [{ 'x-service-user': '{{security.authid}}' }, { 'x-service-user': 'anonymous' }],
    // and what it takes by its name
    [{ 'x-chain': '{{request.headers.x-forwarded-for}}' }, { 'x-chain': '6.6.6.6' }],
    [{ 'x-real-ip': '{{request.headers |> get(x-real-ip)}}' }, { 'x-real-ip': '6.6.6.6' }],
  ]
  for (const [headers, expected] of rows) {
    it(`${JSON.stringify(headers) ?? 'none declared'}: they are ${JSON.stringify(expected)}`, async () => {
      let found: object | undefined
      const served = serve(
        documentOf(
          {
            '/x': {
              get: {
                action: {
                  type: 'forward',
                  host: 'http://up',
                  ...(headers !== undefined && { headers }),
                },
                response: {},
              },
            },
          },
          {
            variables: {
              all: '{{request.headers}}',
              user: { 'x-service-user': '{{security.authid}}' },
            },
          },
        ),
        ({ fields, run }) => {
          found = upstreamHeaders(fields.headers, run, '1.1 gateway')
          return { result: { status_code: 200, headers: {}, body: '', uri: '' } }
        },
      )
      await served.ask('GET /v1/x', { headers: sent })
      expect(found).to.deep.equal({ ...way, ...expected })
    })
  }
})

describe('request.headers elsewhere', () => {
  it('has all that the client has sent', async () => {
    const action = { type: 'wamp_call', procedure: 'a.b', kwargs: { h: '{{request.headers}}' } }
    const served = serve(documentOf({ '/x': { get: { action, response: {} } } }))
    await served.ask('GET /v1/x', { headers: sent })
    expect(served.performed[0]?.fields.kwargs).to.deep.equal({ h: sent })
  })
})
