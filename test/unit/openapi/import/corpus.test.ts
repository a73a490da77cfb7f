/** Whole OpenAPI documents: what an import makes of them, and what an export makes of that. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { describing } from '#component/openapi/document.ts'
import { type Imported, importOpenApi } from '#component/openapi/import/import.ts'
import { runAtOnce } from '#component/yielding.ts'
import { corpus, folder, judge, read } from './corpus.ts'
import { at, type Json } from './imported.ts'

const imported = (openapi: Json, forward?: string): Imported =>
  importOpenApi(
    openapi,
    { realm_uri: 'com.example', forward: forward === undefined ? undefined : new URL(forward) },
    judge,
  )

/** The export for operators. */
function exported(document: unknown): Json {
  const { api, issues } = judge(document)
  const [version] = api?.versions ?? []
  if (version === undefined) throw new Error(JSON.stringify(issues))
  const options = { baseUrl: 'https://shop.example.com', serverBase: '', isInternal: true }
  return JSON.parse(JSON.stringify(runAtOnce(describing(version, options))))
}

const operationsOf = (openapi: Json): Map<string, Json> =>
  new Map(
    Object.entries(openapi.paths as Json).flatMap(([path, item]) =>
      Object.entries(item as Json)
        .filter(([key]) => /^(get|put|post|delete|patch|head)$/.test(key))
        .map(([method, operation]) => [`${method} ${path}`, operation as Json] as const),
    ),
  )

/** The value that a reference within the document leads to. */
const followed = (openapi: Json, value: unknown): Json => {
  const $ref = at(value, '$ref')
  return typeof $ref === 'string'
    ? (at(openapi, ...$ref.slice(2).split('/')) as Json)
    : (value as Json)
}

/** `{schema, required}` of each parameter by its place and name. */
const parametersOf = (openapi: Json, path: string, operation: Json): Json => {
  const shared = at(openapi, 'paths', path, 'parameters')
  const all = [shared, operation.parameters].flatMap((each) => (Array.isArray(each) ? each : []))
  return Object.fromEntries(
    all.map((each) => {
      const { in: place, name, schema, required = false, description } = followed(openapi, each)
      return [`${place} ${name}`, { schema, required, description }]
    }),
  )
}

const schemaOf = (content: unknown): unknown => at(content, 'application/json', 'schema')

/** Schemas without what a description says of a parameter besides. */
const plain = (parameters: Json): Json =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => {
      const { description: _, ...schema } = at(parameter, 'schema') as Json
      return [name, { ...(parameter as Json), schema }]
    }),
  )

/** The operations without their responses, which the gateway derives in part. */
const restOf = (openapi: Json) =>
  [...operationsOf(openapi)].map(([key, { responses: _, ...rest }]) => [key, rest])

describe('Whole OpenAPI documents', () => {
  for (const name of corpus) {
    it(`become API Specifications that load, as they stand in a file: ${name}`, () => {
      const { document, losses, issues } = imported(read(name))
      expect(issues).to.deep.equal([])
      const golden = join(folder, `${name.replace(/\..*/, '')}.api-spec.json`)
      expect(JSON.parse(JSON.stringify(document))).to.deep.equal(
        JSON.parse(readFileSync(golden, 'utf8')),
      )
      const told = losses.map(({ path, message }) => `${path}: ${message}\n`).join('')
      expect(told).to.equal(readFileSync(golden.replace('.api-spec.json', '.told.txt'), 'utf8'))
    })

    it(`become forwards: ${name}`, () => {
      const { document, issues } = imported(read(name), 'http://127.0.0.1:8080')
      expect(issues).to.deep.equal([])
      expect(JSON.stringify(document)).to.include('"type":"forward"')
    })

    it(`keep paths, parameters, bodies and actions in another round of export and import: ${name}`, () => {
      const first = exported(imported(read(name)).document)
      const second = exported(imported(first).document)
      expect(second.servers).to.deep.equal(first.servers)
      expect(restOf(second)).to.deep.equal(restOf(first))
    })
  }

  describe('that lose nothing', () => {
    const source = read('shop.yaml')
    const { document, losses } = imported(source)
    const description = exported(document)

    it('have nothing to tell', () => {
      expect(losses).to.deep.equal([])
    })

    it('are exported with the same paths, methods, ids, tags and texts', () => {
      const told = (openapi: Json) =>
        [...operationsOf(openapi)].map(([key, { operationId, tags, summary }]) => ({
          key,
          operationId,
          tags,
          summary,
        }))
      expect(told(description)).to.have.deep.members(told(source))
      expect(description.tags).to.deep.equal(source.tags)
      const { info } = source
      expect(description.info).to.deep.equal(info)
    })

    it('are exported with the same parameters', () => {
      for (const [key, operation] of operationsOf(source)) {
        const path = key.slice(key.indexOf(' ') + 1)
        const found = operationsOf(description).get(key) ?? {}
        expect(plain(parametersOf(description, path, found))).to.deep.equal(
          plain(parametersOf(source, path, operation)),
        )
      }
    })

    it('are exported with the same bodies', () => {
      for (const [key, { requestBody }] of operationsOf(source)) {
        const found = at(operationsOf(description).get(key), 'requestBody')
        expect(schemaOf(at(found, 'content'))).to.deep.equal(schemaOf(at(requestBody, 'content')))
        expect(at(found, 'required')).to.equal(at(requestBody, 'required'))
      }
    })

    it('are exported with the same responses, among others', () => {
      for (const [key, { responses }] of operationsOf(source)) {
        for (const [status, response] of Object.entries(responses as Json)) {
          const expected = followed(source, response)
          const found = followed(
            description,
            at(operationsOf(description).get(key), 'responses', status),
          )
          expect(found.description, `${key} ${status}`).to.equal(expected.description)
          if (schemaOf(expected.content) !== undefined)
            expect(schemaOf(found.content), `${key} ${status}`).to.deep.equal(
              schemaOf(expected.content),
            )
          expect(found.headers ?? {}).to.deep.include(expected.headers ?? {})
        }
      }
    })

    it('are exported with the same schemas', () => {
      expect(at(description, 'components', 'schemas')).to.deep.include(
        at(source, 'components', 'schemas'),
      )
    })
  })
})
