/** Parameters of OpenAPI as the member `request`. */
import { expect } from 'chai'
import { at, get, imported, type Json, pathOf } from './imported.ts'

const query = (parameter: Json, parts: Json = {}) => {
  const { operation, losses } = get(
    { parameters: [{ name: 'q', in: 'query', ...parameter }] },
    parts,
  )
  return { schema: at(operation, 'request', 'query_params', 'properties', 'q'), losses }
}

describe('Parameters of an OpenAPI document', () => {
  it('become the members of a map, with what they say beside their schema', () => {
    expect(
      query({
        description: 'Which.',
        deprecated: true,
        example: 7,
        required: true,
        schema: { type: 'integer' },
      }).schema,
    ).to.deep.equal({ type: 'integer', description: 'Which.', deprecated: true, examples: [7] })
  })

  it('are required where they say so, except those of the path', () => {
    const parameters = [
      { name: 'id', in: 'path', required: true, schema: true },
      { name: 'a', in: 'query', required: true, schema: true },
      { name: 'X-B', in: 'header', required: true, schema: true },
    ]
    const found = imported({ paths: { '/{id}': { parameters, get: {} } } })
    expect(at(pathOf(found, '/{id}'), 'request')).to.deep.equal({
      bindings: { type: 'object', properties: { id: true } },
      query_params: { type: 'object', required: ['a'], properties: { a: true } },
      headers: { type: 'object', required: ['x-b'], properties: { 'x-b': true } },
    })
  })

  it('of an operation stand in place of those of its path', () => {
    const found = imported({
      paths: {
        '/a': {
          parameters: [
            { name: 'q', in: 'query', schema: { type: 'string' } },
            { name: 'r', in: 'query', schema: true },
          ],
          get: { parameters: [{ name: 'q', in: 'query', schema: { type: 'integer' } }] },
          put: {},
        },
      },
    })
    const properties = (method: string) =>
      at(pathOf(found, '/a'), method, 'request', 'query_params', 'properties')
    expect(properties('get')).to.deep.equal({ r: true, q: { type: 'integer' } })
    expect(properties('put')).to.deep.equal({ q: { type: 'string' }, r: true })
  })

  it('are found through references', () => {
    const { operation } = get(
      { parameters: [{ $ref: '#/components/parameters/Page' }] },
      {
        components: {
          parameters: { Page: { name: 'page', in: 'query', schema: { type: 'integer' } } },
        },
      },
    )
    expect(at(operation, 'request', 'query_params', 'properties')).to.deep.equal({
      page: { type: 'integer' },
    })
  })

  const texts: readonly (readonly [what: string, parameter: Json])[] = [
    [
      'lists with commas',
      { explode: false, schema: { type: 'array', items: { type: 'integer' } } },
    ],
    ['lists with pipes', { style: 'pipeDelimited', schema: { type: 'array' } }],
    ['lists in headers', { in: 'header', schema: { $ref: '#/components/schemas/List' } }],
    ['content', { content: { 'application/json': { schema: { type: 'object' } } } }],
  ]
  for (const [what, parameter] of texts) {
    it(`are texts, which is told, where they are ${what}`, () => {
      const components = { schemas: { List: { type: 'array' } } }
      const { operation, losses } = get(
        { parameters: [{ name: 'q', in: 'query', ...parameter }] },
        { components },
      )
      const part = parameter.in === 'header' ? 'headers' : 'query_params'
      expect(at(operation, 'request', part, 'properties', 'q')).to.deep.equal({ type: 'string' })
      expect(losses).to.have.lengthOf(1)
    })
  }

  it('are left out, which is told, where they have other names than their own', () => {
    const schema = { type: 'object' }
    const parameters = ['form', 'deepObject'].map((style) => ({
      ...{ name: style, in: 'query', style, schema },
    }))
    const { operation, losses } = get({ parameters })
    expect(operation).not.to.have.property('request')
    expect(losses).to.have.lengthOf(2)
  })

  it('that repeat their name are lists', () => {
    const schema = { type: 'array', items: { type: 'integer' } }
    expect(query({ schema })).to.deep.equal({ schema, losses: [] })
  })

  it('in cookies are told, and headers that OpenAPI ignores are not', () => {
    const parameters = [
      { name: 'sid', in: 'cookie', schema: true },
      { name: 'Authorization', in: 'header', schema: true },
    ]
    const { operation, losses } = get({ parameters })
    expect(operation).not.to.have.property('request')
    expect(losses).to.deep.equal([
      {
        path: '/paths/~1a/get/parameters/0',
        message: 'the gateway reads no cookies: the parameter sid is left out',
      },
    ])
  })
})
