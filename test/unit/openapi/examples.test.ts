/** Examples of operations in a description: those that hold, where OpenAPI shows them. */
import { expect } from 'chai'
import { Examples } from '#component/examples/examples.ts'
import { examplePorts } from '#test/unit/examples/ports.ts'
import { call, documentOf } from '#test/unit/gateway/fake-exchange.ts'
import { describeDocument, type Seen, versionsOf } from './describe.ts'

const schemas = { Missing: { type: 'object' } }
const get = {
  ...call(
    { args: ['{{request.bindings.id}}'], kwargs: { f: '{{request.query_params}}' } },
    { body: '{{action.result.args |> head}}' },
    { body: '{{action.error.kwargs}}' },
  ),
  request: {
    bindings: { properties: { id: { type: 'integer' } } },
    query_params: { properties: { tag: { type: 'array', items: { type: 'string' } } } },
  },
  responses: { '404': { description: 'None.', schema: { $ref: '#/schemas/Missing' } } },
  examples: {
    one: {
      description: 'An order.',
      request: { bindings: { id: 7 }, query_params: { tag: ['a', 'b'] } },
      outcome: { result: { args: [{ id: 7 }] } },
      expect: { status: 200, body: { id: 7 } },
    },
    none: {
      request: { bindings: { id: 9 } },
      outcome: {
        error: { error_uri: 'service.error.not_found', kwargs: { message: 'no such order' } },
      },
      expect: { status: 404, body: { message: 'no such order' } },
    },
    refused: {
      request: { bindings: { id: 'x' } },
      expect: { status: 400, error_code: 'service.error.validation_failed' },
    },
    unlike: {
      request: { bindings: { id: 8 } },
      outcome: { result: { args: [{ id: 8 }] } },
      expect: { body: { id: 'wrong' } },
    },
  },
}
const post = {
  ...call({ args: ['{{request.body}}'] }, { status_code: 202 }),
  examples: { plain: { request: { body: { a: 1 } }, expect: { status: 202 } } },
}
const document = documentOf({ '/orders/:id': { get }, '/orders': { post } }, { schemas })

describe('the examples of a description', () => {
  const paths: Seen = {}
  const holding: string[] = []

  before(async () => {
    const [version] = versionsOf(document)
    if (version === undefined) throw new Error('no version')
    const found = await new Examples(examplePorts).holding(version)
    holding.push(...found)
    Object.assign(paths, describeDocument(document, { holding: found }).paths)
  })

  it('are those that hold', () => {
    const at = '/versions/1.0/paths/~1orders~1:id/get/examples'
    const names = holding.filter((path) => path.startsWith(at)).map((path) => path.slice(at.length))
    expect(names).to.deep.equal(['/one', '/none', '/refused'])
  })

  it('are requests that are not refused, read as their schemas have them', () => {
    const [id, tag] = paths['/orders/{id}'].get.parameters
    expect(id.examples).to.deep.equal({ one: { description: 'An order.', value: 7 } })
    expect(tag.examples).to.deep.equal({ one: { description: 'An order.', value: ['a', 'b'] } })
    const { content } = paths['/orders'].post.requestBody
    expect(content['application/json'].examples).to.deep.equal({ plain: { value: { a: 1 } } })
    expect(content['application/msgpack']).not.to.have.property('examples')
  })

  it('are answers, by their status', () => {
    const { responses } = paths['/orders/{id}'].get
    expect(responses['200'].content['application/json'].examples).to.deep.equal({
      one: { description: 'An order.', value: { id: 7 } },
    })
    expect(responses['404'].content['application/json'].examples).to.deep.equal({
      none: { value: { message: 'no such order' } },
    })
  })

  it('are none where nobody has run them', () => {
    expect(JSON.stringify(describeDocument(document))).not.to.contain('no such order')
  })
})
