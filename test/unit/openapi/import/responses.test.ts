/** Responses of OpenAPI as `on_result` and `responses`. */
import { expect } from 'chai'
import { at, get, imported, type Json, pathOf } from './imported.ts'

describe('Responses of an OpenAPI document', () => {
  const content = (schema: Json) => ({ 'application/json': { schema } })

  it('are declared where they tell a success, and else documented', () => {
    const { operation, losses } = get({
      responses: {
        404: { description: 'No such order.', content: content({ type: 'object' }) },
        200: {
          description: 'The order.',
          headers: { 'X-Left': { description: 'd', schema: { type: 'integer' }, example: 7 } },
          content: content({ type: 'string' }),
        },
        default: { description: 'Anything else.' },
      },
    })
    expect(operation).to.deep.include({
      response: {
        on_result: { body: '{{action.result.args |> head}}', schema: { type: 'string' } },
        on_error: {},
      },
      responses: {
        200: {
          description: 'The order.',
          headers: {
            'x-left': { description: 'd', schema: { type: 'integer', examples: [7] } },
          },
        },
        404: { description: 'No such order.', schema: { type: 'object' } },
        default: { description: 'Anything else.' },
      },
    })
    expect(losses).to.deep.equal([])
  })

  const answers101 = {
    responses: { 101: { description: 'A WebSocket.' }, 200: { description: 'OK' } },
  }

  it('are WebSockets of a forward where a GET answers 101', () => {
    const forward = new URL('http://127.0.0.1:1')
    const found = imported({ paths: { '/a': { get: answers101 } } }, { forward })
    expect(at(pathOf(found, '/a'), 'get', 'action')).to.include({
      type: 'forward',
      websocket: true,
    })
    expect(found.losses).to.deep.equal([])
  })

  for (const [what, path, forward] of [
    ['a procedure', { get: answers101 }, undefined],
    ['another method', { post: answers101 }, new URL('http://127.0.0.1:1')],
  ] as const) {
    it(`lose a 101 of ${what}`, () => {
      const { document, losses } = imported({ paths: { '/a': path } }, { forward })
      expect(JSON.stringify(document)).not.to.include('websocket')
      expect(losses.map(({ message }) => message)).to.include('the gateway gives no such status')
    })
  }

  const statuses: readonly (readonly [
    method: string,
    status: string,
    hasBody: boolean,
    declared: unknown,
  ])[] = [
    ['get', '200', true, undefined],
    ['post', '201', true, 201],
    ['post', '200', true, undefined],
    ['delete', '204', false, undefined],
    ['delete', '200', false, 200],
    ['get', '2XX', true, undefined],
  ]
  for (const [method, status, hasBody, declared] of statuses) {
    it(`declare a status where the gateway would give another: ${method} ${status}, ${hasBody ? 'a' : 'no'} body`, () => {
      const response = hasBody ? { content: content({}) } : {}
      const found = imported({
        paths: { '/a': { [method]: { responses: { [status]: response } } } },
      })
      expect(at(pathOf(found, '/a'), method, 'response', 'on_result', 'status_code')).to.equal(
        declared,
      )
    })
  }

  for (const [types, provides] of [
    [['application/json'], undefined],
    [['image/png'], ['image/png']],
    [
      ['text/html', 'application/json'],
      ['text/html', 'application/json'],
    ],
    [['application/vnd.api+json'], ['application/vnd.api+json']],
    [['application/x-www-form-urlencoded', 'application/json'], undefined],
  ] as const) {
    it(`provide ${provides?.join() ?? 'the usual types'} where they have ${types.join()}`, () => {
      const content = Object.fromEntries(types.map((type) => [type, {}]))
      const { operation } = get({ responses: { 200: { content } } })
      expect(at(operation, 'provides')).to.deep.equal(provides)
    })
  }

  it('redirect to what the procedure returns', () => {
    const { operation } = get({ responses: { 302: { description: 'There.' } } })
    expect(at(operation, 'response', 'on_result')).to.deep.equal({
      status_code: 302,
      uri: '{{action.result.args |> head}}',
    })
  })

  it('tell links, types that the gateway does not give, and statuses that it has not', () => {
    const { losses } = get({
      responses: { 200: { links: { a: {} }, content: { 'text/event-stream': {} } }, 199: {} },
    })
    expect(losses.map(({ path }) => path)).to.have.members([
      '/paths/~1a/get/responses/200/links',
      '/paths/~1a/get/responses/200/content/text~1event-stream',
      '/paths/~1a/get/responses/199',
    ])
  })
})
