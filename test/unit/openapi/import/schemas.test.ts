/** Schemas of OpenAPI as JSON Schemas of an API Specification. */
import { expect } from 'chai'
import { at, get, imported, type Json, schemaOf } from './imported.ts'

describe('Schemas of an OpenAPI document', () => {
  const rows: readonly (readonly [what: string, schema: Json, converted: Json])[] = [
    ['nullable', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable choices',
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'nullable references',
      { nullable: true, description: 'd', allOf: [{ $ref: '#/components/schemas/S' }] },
      { description: 'd', anyOf: [{ allOf: [{ $ref: '#/schemas/S' }] }, { type: 'null' }] },
    ],
    ['exclusiveMinimum', { minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
    ['exclusiveMaximum: false', { maximum: 1, exclusiveMaximum: false }, { maximum: 1 }],
    ['example', { type: 'string', example: 'x' }, { type: 'string', examples: ['x'] }],
    [
      'what is below',
      { properties: { a: { items: { nullable: true, type: 'string' } } } },
      { properties: { a: { items: { type: ['string', 'null'] } } } },
    ],
    [
      'a property named like a keyword',
      { properties: { nullable: { type: 'string' }, example: { type: 'string' } } },
      { properties: { nullable: { type: 'string' }, example: { type: 'string' } } },
    ],
  ]
  for (const [what, schema, converted] of rows) {
    it(`of 3.0 are told in JSON Schema 2020-12: ${what}`, () => {
      expect(schemaOf(schema)).to.deep.equal({ schema: converted, losses: [] })
    })
  }

  it('of 3.1 stand as they are', () => {
    const schema = {
      type: ['string', 'null'],
      exclusiveMinimum: 3,
      const: 1,
      'x-mine': 2,
      $comment: 'c',
    }
    expect(schemaOf(schema, '3.1.0')).to.deep.equal({ schema, losses: [] })
  })

  it('have integers of 64 bits wherever schemas are compared: parameters, media types, shared responses', () => {
    const schema = { type: 'integer', maximum: 2n ** 63n - 1n }
    const content = {
      'application/json': { schema },
      'application/x-www-form-urlencoded': { schema },
    }
    const { operation } = get(
      {
        parameters: [{ name: 'q', in: 'query', schema }],
        requestBody: { content },
        responses: { '200': { $ref: '#/components/responses/R' } },
      },
      { components: { responses: { R: { description: 'r', content } } } },
    )
    expect(at(operation, 'request', 'body')).to.deep.equal(schema)
    expect(at(operation, 'request', 'query_params', 'properties', 'q')).to.deep.equal(schema)
    expect(at(operation, 'response', 'on_result', 'schema')).to.deep.equal(schema)
  })

  it('of 3.0 lose what stands beside a reference', () => {
    const found = schemaOf({ $ref: '#/components/schemas/S', description: 'd', nullable: true })
    expect(found).to.deep.equal({
      schema: { $ref: '#/schemas/S', description: 'd' },
      losses: ['/components/schemas/S/nullable'],
    })
  })

  it('refer to each other by their names, also to parts of each other', () => {
    const { document } = imported({
      components: {
        schemas: {
          'A/B': { properties: { x: { $ref: '#/components/schemas/C/properties/y' } } },
          C: { properties: { y: { $ref: '#/components/schemas/A~1B' } } },
        },
      },
    })
    expect(document.schemas).to.deep.equal({
      A_B: { properties: { x: { $ref: '#/schemas/C/properties/y' } } },
      C: { properties: { y: { $ref: '#/schemas/A_B' } } },
    })
  })

  it('that stand elsewhere get a name when others refer to them', () => {
    const content = {
      'application/json': {
        schema: {
          type: 'object',
          properties: {
            up: { $ref: '#/components/responses/Tree/content/application~1json/schema' },
          },
        },
      },
    }
    const { operation } = get(
      { responses: { 200: { $ref: '#/components/responses/Tree' } } },
      { components: { responses: { Tree: { content } } } },
    )
    const up = { $ref: '#/schemas/Tree' }
    expect(at(operation, 'response', 'on_result', 'schema')).to.deep.equal({
      type: 'object',
      properties: { up },
    })
  })

  it('allow any value, and say so, where a reference leads nowhere or out of the document', () => {
    for (const $ref of ['#/components/schemas/None', 'other.yaml#/A', '#Anchor'])
      expect(schemaOf({ properties: { a: { $ref } } })).to.deep.equal({
        schema: { properties: { a: {} } },
        losses: ['/components/schemas/S/properties/a/$ref'],
      })
  })

  it('lose keywords that change the meaning of other places', () => {
    expect(schemaOf({ $id: 'https://x', $anchor: 'a', type: 'string' }, '3.1.0')).to.deep.equal({
      schema: { type: 'string' },
      losses: ['/components/schemas/S/$id', '/components/schemas/S/$anchor'],
    })
  })

  it('keep a discriminator, and what it maps to', () => {
    const { schema } = schemaOf({
      discriminator: { propertyName: 'kind', mapping: { a: 'S', b: '#/components/schemas/S' } },
    })
    expect(schema).to.deep.equal({
      discriminator: { propertyName: 'kind', mapping: { a: '#/schemas/S', b: '#/schemas/S' } },
    })
  })
})
