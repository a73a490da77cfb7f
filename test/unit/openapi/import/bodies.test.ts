/** Request bodies of OpenAPI as the member `request`. */
import { expect } from 'chai'
import { at, imported, type Json, pathOf } from './imported.ts'

describe('Bodies of an OpenAPI document', () => {
  const put = (requestBody: Json, parts: Json = {}) => {
    const found = imported({ paths: { '/a': { put: { requestBody } } }, ...parts })
    return { operation: at(pathOf(found, '/a'), 'put'), losses: found.losses }
  }

  it('may be left out unless they are required', () => {
    const content = { 'application/json': { schema: { type: 'object' } } }
    expect(at(put({ content }).operation, 'request')).to.deep.equal({
      body: { type: 'object' },
      body_required: false,
    })
    expect(at(put({ content, required: true }).operation, 'request')).to.deep.equal({
      body: { type: 'object' },
    })
  })

  it('say which types are accepted where JSON is not the only one', () => {
    const schema = { type: 'object' }
    const { operation, losses } = put({
      content: {
        'application/json': { schema },
        'application/x-www-form-urlencoded': { schema },
        'text/xml': { schema },
      },
    })
    expect(operation).to.deep.include({
      accepts: ['application/json', 'application/x-www-form-urlencoded'],
    })
    expect(losses.map(({ message }) => message)).to.deep.equal([
      'bodies of the type text/xml are text or bytes, not a value',
    ])
  })

  it('may be forms in which a map, or a list of them, is sent as JSON', () => {
    const schema = {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        options: { type: 'object', properties: { size: { type: 'integer' } } },
        more: { properties: {} },
        items: { type: 'array', items: { type: 'object' } },
      },
    }
    const content = { 'application/x-www-form-urlencoded': { schema } }
    const { operation, losses } = put({ required: true, content })
    expect(losses).to.deep.equal([])
    expect(at(operation, 'request', 'body')).to.deep.equal({
      ...schema,
      properties: { ...schema.properties, options: {}, more: {}, items: {} },
    })
  })

  it('may be forms with files, whose fields are texts', () => {
    const file = { type: 'string', format: 'binary' }
    const schema = {
      type: 'object',
      required: ['title', 'cover'],
      properties: {
        title: { type: 'string', maxLength: 9 },
        year: { type: 'integer' },
        attributes: { type: 'object', properties: {} },
        cover: file,
        more: { type: 'array', items: file },
        raw: { contentMediaType: 'image/png' },
      },
    }
    const { operation, losses } = put({
      required: true,
      content: { 'multipart/form-data': { schema } },
    })
    expect(losses).to.deep.equal([])
    expect(operation).to.deep.include({
      accepts: ['multipart/form-data'],
      multipart: { files: 12 },
      request: {
        body: {
          type: 'object',
          properties: {
            title: { type: 'string', maxLength: 9 },
            year: { type: 'integer' },
            attributes: {},
          },
          required: ['title'],
        },
      },
    })
    expect(at(operation, 'action', 'args')).to.deep.equal(['{{request.body}}', '{{request.files}}'])
  })

  it('may be JSON or a form with files, each of its own schema', () => {
    const json = { type: 'object', required: ['a'] }
    const form = { type: 'object', properties: { f: { type: 'string', format: 'binary' } } }
    const { operation } = put({
      required: true,
      content: { 'application/json': { schema: json }, 'multipart/form-data': { schema: form } },
    })
    expect(operation).to.deep.include({
      accepts: ['application/json', 'multipart/form-data'],
      multipart: { files: 1 },
      request: { body: { anyOf: [json, { type: 'object', properties: {} }] } },
    })
  })

  const binary = { schema: { type: 'string', format: 'binary' } }
  for (const [what, content, accepts, body] of [
    ['bytes', { 'image/png': binary }, ['image/png'], binary.schema],
    ['a range', { 'image/*': {} }, ['image/*'], {}],
    ['a +json type', { 'application/json-patch+json': {} }, ['application/json-patch+json'], {}],
    ['any type', { '*/*': {} }, undefined, {}],
    ['a text', { 'text/csv': { schema: { type: 'string' } } }, ['text/csv'], { type: 'string' }],
    [
      'a value or bytes',
      { 'application/json': { schema: { type: 'object' } }, 'application/octet-stream': binary },
      ['application/json', 'application/octet-stream'],
      { anyOf: [{ type: 'object' }, binary.schema] },
    ],
    [
      'a value or bytes of any kind',
      { 'application/json': { schema: { type: 'object' } }, 'application/octet-stream': {} },
      ['application/json', 'application/octet-stream'],
      { anyOf: [{ type: 'object' }, binary.schema] },
    ],
  ] as const) {
    it(`may be ${what}`, () => {
      const { operation, losses } = put({ required: true, content })
      expect([at(operation, 'accepts'), at(operation, 'request', 'body')]).to.deep.equal([
        accepts,
        body,
      ])
      expect(losses).to.deep.equal([])
    })
  }

  it('are not asked for where the gateway takes none of their types', () => {
    const { operation, losses } = put({
      required: true,
      content: {
        'no type': { schema: {} },
        'application/pdf': { schema: { type: 'object' } },
      },
    })
    expect(operation).not.to.have.property('request')
    expect(losses).to.have.lengthOf(2)
  })

  it('keep their description, unless the schema has its own', () => {
    const bodyOf = (schema?: Json) => {
      const media = schema === undefined ? {} : { schema }
      const content = { 'application/json': media }
      const { operation, losses } = put({ required: true, description: 'A hat.', content })
      return { body: at(operation, 'request', 'body'), losses: losses.map(({ path }) => path) }
    }
    expect(bodyOf()).to.deep.equal({ body: { description: 'A hat.' }, losses: [] })
    expect(bodyOf({ type: 'string' })).to.deep.equal({
      ...{ body: { description: 'A hat.', type: 'string' }, losses: [] },
    })
    expect(bodyOf({ description: 'Own.' })).to.deep.equal({
      body: { description: 'Own.' },
      losses: ['/paths/~1a/put/requestBody/description'],
    })
  })

  it('keep their examples', () => {
    const examples = { one: { value: { a: 1 } }, other: { externalValue: 'x.json' } }
    const { operation, losses } = put({
      required: true,
      content: { 'application/json': { schema: { type: 'object' }, examples } },
    })
    expect(at(operation, 'request', 'body')).to.deep.equal({ type: 'object', examples: [{ a: 1 }] })
    expect(losses.map(({ path }) => path)).to.deep.equal([
      '/paths/~1a/put/requestBody/content/application~1json/examples/other',
    ])
  })
})
