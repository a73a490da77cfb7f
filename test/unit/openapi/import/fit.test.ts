/** OpenAPI documents with more schemas than a gateway takes: some allow any value, and the rest loads. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { importOpenApi } from '#component/openapi/import/import.ts'
import { at } from './imported.ts'

const listOf = (count: number, of: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`S${index}`, of(index)]))

/** Imports schemas, of which operations refer to those of some names. */
function imported(schemas: Readonly<Record<string, unknown>>, used: readonly string[]) {
  const anyOf = used.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  const all = Array.from({ length: Math.ceil(anyOf.length / 20) }, (_, part) => ({
    content: {
      'application/json': { schema: { anyOf: anyOf.slice(part * 20, part * 20 + 20) } },
    },
  }))
  const paths = Object.fromEntries(
    all.map((requestBody, part) => [`/p${part}`, { put: { requestBody } }]),
  )
  return importOpenApi(
    {
      openapi: '3.1.1',
      info: { title: 'Many', version: '1.0' },
      paths: { '/a': { get: {} }, ...paths },
      components: { schemas },
    },
    { realm_uri: 'com.example' },
    (document) => compileDocument(document, { callTimeout: 1000 }),
  )
}

const short = (index: number) => ({ type: 'string', const: `s${index}` })
const long = (index: number) => ({ description: `${1_000 + index}${'x'.repeat(10_000)}` })
const pairs = (index: number) => ({ type: 'string', const: `s${index % 5_500}` })
const names = (count: number) => Array.from({ length: count }, (_, index) => `S${index}`)

describe('An import of many schemas', () => {
  for (const [title, schemas, used, leftOut] of [
    ['keeps 10,000', listOf(10_000, short), [], 0],
    ['leaves out two of 10,001: what allows any value is one', listOf(10_001, short), [], 2],
    ['leaves out of 10,300 as many as are too many', listOf(10_300, short), [], 301],
    ['leaves those out first that nothing refers to', listOf(10_100, short), names(1_500), 176],
    ['counts equal schemas once', listOf(11_000, pairs), [], 0],
    ['leaves out schemas that are too long together', listOf(500, long), [], 82],
    ['leaves out the longest that no operation refers to', listOf(450, long), names(300), 34],
  ] as const) {
    it(title, () => {
      const { document, losses, issues } = imported(schemas, used)
      expect(issues).to.deep.equal([])
      const found = at(document, 'schemas') as Readonly<Record<string, unknown>>
      const missing = Object.keys(found).filter((name) => found[name] === true)
      expect(missing).to.have.lengthOf(leftOut)
      expect(losses.map(({ path }) => path)).to.have.members(
        missing.map((name) => `/components/schemas/${name}`),
      )
      expect(missing.filter((name) => (used as readonly string[]).includes(name))).to.deep.equal([])
    })
  }
})

describe('An import that is longer than a document may be', () => {
  const schema = { type: 'object', description: 'y'.repeat(60_000) }
  const headers = { 'x-a': { description: 'z'.repeat(60_000), schema: { type: 'string' } } }
  const asked = {
    requestBody: {
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Asked' } } },
    },
  }
  const longOf = (response: object) =>
    importOpenApi(
      {
        openapi: '3.1.1',
        info: { title: 'Long', version: '1.0' },
        paths: Object.fromEntries(
          Array.from({ length: 100 }, (_, index) => [
            `/p${index}`,
            { put: { ...asked, responses: { '404': { description: `${index}`, ...response } } } },
          ]),
        ),
        components: { schemas: { Asked: { type: 'object' }, Told: { type: 'object' } } },
      },
      { realm_uri: 'com.example' },
      (document) => compileDocument(document, { callTimeout: 1000 }),
    )

  for (const [what, response] of [
    ['schemas', { content: { 'application/json': { schema } } }],
    ['header fields', { headers }],
  ] as const) {
    it(`leaves out the ${what} of responses, and keeps what checks requests`, () => {
      const { document, losses, issues } = longOf(response)
      expect(issues).to.deep.equal([])
      expect(losses.map(({ message }) => message)).to.deep.include(
        `a document has at most 10000 different schemas and 4194304 bytes: the ${what} of the responses of 100 operations are left out`,
      )
      expect(JSON.stringify(document).length).to.be.lessThan(4_194_304)
      expect(at(document, 'schemas')).to.deep.equal({ Asked: { type: 'object' } })
    })
  }
})
