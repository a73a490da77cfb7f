/** What operations have in common stands once: security at the version or the path, schemas of shared answers and headers in `schemas`. */
import { expect } from 'chai'
import { at, imported, type Json } from './imported.ts'

const basic = { type: 'basic' }
const key = { type: 'api_key' }
const securitySchemes = { b: { type: 'http', scheme: 'basic' }, k: { type: 'digest' } }
const [b, k] = [{ security: [{ b: [] }] }, { security: [{ k: [] }] }]
const open = { security: [] }

const securityIn = (paths: Json, more: Json = {}) => {
  const { document } = imported({ paths, components: { securitySchemes }, ...more })
  const version = at(document, 'versions', '1.0')
  const found: Record<string, unknown> = {}
  const note = (name: string, value: unknown) => {
    if (value !== undefined) found[name] = value
  }
  note('version', at(version, 'defaults', 'security'))
  for (const [path, item] of Object.entries(at(version, 'paths') as Json)) {
    note(path, at(item, 'security'))
    for (const method of ['get', 'put']) note(`${method} ${path}`, at(item, method, 'security'))
  }
  return found
}

describe('What operations have in common', () => {
  for (const [title, paths, more, expected] of [
    ['one security', { '/a': { get: b, put: b }, '/c': { get: b } }, {}, { version: basic }],
    [
      'the security of most',
      { '/a': { get: b, put: k }, '/c': { get: b } },
      {},
      { version: basic, 'put /a': key },
    ],
    [
      'the security of a path',
      { '/a': { get: k, put: k }, '/c': { get: b }, '/d': { get: b }, '/e': { get: b } },
      {},
      { version: basic, '/a': key },
    ],
    [
      'security, where others have none',
      { '/a': { get: b, put: b }, '/c': { get: {} } },
      {},
      { '/a': basic },
    ],
    [
      'security, where another is open',
      { '/a': { get: b }, '/c': { get: open, put: b } },
      {},
      { version: basic, 'get /c': {} },
    ],
    ['security that the document has, too', { '/a': { get: b, put: {} } }, b, { version: basic }],
    [
      'other security than that of the document',
      { '/a': { get: k, put: k } },
      b,
      { version: basic, '/a': key },
    ],
    ['nothing', { '/a': { get: b, put: k } }, {}, { 'get /a': basic, 'put /a': key }],
    ['no security', { '/a': { get: open, put: open } }, {}, {}],
    [
      'no security, where the document has some',
      { '/a': { get: open, put: open } },
      b,
      { version: basic, '/a': {} },
    ],
  ] as const) {
    it(`stands once: ${title}`, () => {
      expect(securityIn(paths, more)).to.deep.equal(expected)
    })
  }

  it('stands in schemas: answers and headers of components, with what the headers say', () => {
    const Limit = {
      description: 'The number of requests that are left.',
      schema: { type: 'integer', maximum: 5000 },
    }
    const problem = {
      type: 'object',
      required: ['message'],
      properties: { message: { type: 'string' }, id: { type: 'string' } },
    }
    const answer = (schema: Json) => ({
      description: 'd',
      headers: {
        'X-Left': { $ref: '#/components/headers/Limit' },
        'X-Short': { $ref: '#/components/headers/Short' },
      },
      content: { 'application/json': { schema } },
    })
    const responses = {
      '200': { $ref: '#/components/responses/Ok' },
      '404': { $ref: '#/components/responses/Missing' },
    }
    const { document } = imported({
      paths: { '/a': { get: { responses }, put: { responses } } },
      components: {
        headers: { Limit, Short: { description: 'S.', schema: { type: 'string' } } },
        responses: { Ok: answer({ type: 'string' }), Missing: answer(problem) },
      },
    })
    const short = { description: 'S.', schema: { type: 'string' } }
    const headers = { 'x-left': { schema: { $ref: '#/schemas/headers_Limit' } }, 'x-short': short }
    for (const method of ['get', 'put'])
      expect(at(document, 'versions', '1.0', 'paths', '/a', method, 'responses')).to.deep.equal({
        '200': { description: 'd', headers },
        '404': {
          description: 'd',
          schema: { $ref: '#/schemas/Missing' },
          headers,
        },
      })
    expect(at(document, 'schemas')).to.deep.equal({
      headers_Limit: { description: Limit.description, ...Limit.schema },
      Missing: problem,
    })
  })
})
