/** What a load refuses of an imported document is left out, and told at the place that the author knows. */
import { expect } from 'chai'
import type { Issue } from '#component/errors.ts'
import { importOpenApi } from '#component/openapi/import/import.ts'
import { memberOf } from '#component/syntax/values.ts'
import { at, type Json } from './imported.ts'

const schemas = {
  Sku: { type: 'string', pattern: '(?=a)', maxLength: 5 },
  Order: {
    allOf: [{ $ref: '#/components/schemas/Order' }, { type: 'object' }],
    required: ['a', 7],
  },
}
const openapi = {
  openapi: '3.0.4',
  info: { title: 'Orders', version: '1.0' },
  paths: {
    '/a/{x}': { get: { parameters: [{ name: 'x', in: 'path', schema: { pattern: '(?=b)' } }] } },
    '/a/{y}': {
      get: { requestBody: { content: { 'application/json': { schema: { pattern: 1 } } } } },
    },
  },
  components: { schemas },
}

/** Imports with a load that refuses the values at these places, as long as they are there. */
function refusing(...places: readonly string[]) {
  const rounds: number[] = []
  const judge = (document: unknown) => {
    const found = places.filter((path) => {
      const keys = path
        .split('/')
        .slice(1)
        .map((key) => key.replaceAll('~1', '/'))
      const value = keys.reduce<unknown>(
        (each, key) => (Array.isArray(each) ? each[Number(key)] : memberOf(each, key)),
        document,
      )
      return value !== undefined && value !== true
    })
    rounds.push(found.length)
    const issues: Issue[] = found.map((path) => ({ path, message: 'refused' }))
    return { issues, warnings: [{ path: '/schemas/Sku/maxLength', message: 'a warning' }] }
  }
  return { ...importOpenApi(openapi, { realm_uri: 'com.example' }, judge), rounds }
}

const told = (losses: readonly Issue[]): string[] =>
  losses.map(({ path, message }) => `${path}: ${message}`)

describe('What a load refuses of an imported document', () => {
  it('is left out where it is a keyword of a schema', () => {
    const { document, losses, issues } = refusing('/schemas/Sku/pattern')
    expect(at(document, 'schemas', 'Sku')).to.deep.equal({ type: 'string', maxLength: 5 })
    expect(told(losses)).to.include.members([
      '/components/schemas/Sku/pattern: refused; it is left out',
      '/components/schemas/Sku/maxLength: a warning',
    ])
    expect(issues).to.deep.equal([])
  })

  it('is left out of the schemas of requests', () => {
    const path = '/versions/1.0/paths/~1a~1{x}/request/bindings/properties/x/pattern'
    const { document, losses } = refusing(path)
    const properties = at(
      document,
      'versions',
      '1.0',
      'paths',
      '/a/{x}',
      'request',
      'bindings',
      'properties',
    )
    expect(properties).to.deep.equal({ x: {} })
    expect(told(losses)).to.include(
      '/paths/~1a~1{x}/get/parameters/0/schema/pattern: refused; it is left out',
    )
  })

  it('allows any value where it is a schema of a list, and goes where it is another item', () => {
    const { document } = refusing('/schemas/Order/allOf/0', '/schemas/Order/required/1')
    expect(at(document, 'schemas', 'Order')).to.deep.equal({
      allOf: [{}, { type: 'object' }],
      required: ['a'],
    })
  })

  it('allows any value where it is a whole schema that has a name', () => {
    expect((refusing('/schemas/Sku').document.schemas as Json).Sku).to.equal(true)
  })

  it('is left out where it is a path', () => {
    const { document, losses } = refusing('/versions/1.0/paths/~1a~1{y}')
    expect(Object.keys(at(document, 'versions', '1.0', 'paths') as object)).to.deep.equal([
      '/a/{x}',
    ])
    expect(told(losses)).to.include('/paths/~1a~1{y}: refused; it is left out')
  })

  it('is left out with what misses it where a key is missing', () => {
    const tags = [{ name: 'a' }, { description: 'of none' }]
    const judge = (document: unknown) => {
      const path = '/versions/1.0/openapi/tags/1/name'
      const isThere = JSON.stringify(document).includes('of none')
      return { issues: isThere ? [{ path, message: 'name is missing' }] : [], warnings: [] }
    }
    const { document } = importOpenApi({ ...openapi, tags }, { realm_uri: 'com.example' }, judge)
    expect(at(document, 'versions', '1.0', 'openapi')).to.deep.equal({ tags: [{ name: 'a' }] })
  })

  it('is an issue anywhere else', () => {
    const place = '/versions/1.0/paths/~1a~1{x}/get/action/procedure'
    expect(refusing(place, '/realm_uri').issues).to.deep.equal([
      { path: '/paths/~1a~1{x}/get', message: 'refused' },
      { path: '', message: 'refused' },
    ])
  })
})

describe('What a load refuses of one schema that stands in many places, and tells of the first', () => {
  const wrong = { type: 'string', uniqueItems: true }
  const parameter = (place: string) => ({
    parameters: [{ name: 'n', in: place, required: true, schema: wrong }],
  })
  const content = { 'application/json': { schema: wrong } }
  const answer = { '200': { description: '', content } }

  /** The first place below a value that has the keyword. */
  const firstIn = (value: unknown, path = ''): string | undefined => {
    if (typeof value !== 'object' || value === null) return undefined
    if (Object.hasOwn(value, 'uniqueItems')) return `${path}/uniqueItems`
    for (const [key, member] of Object.entries(value)) {
      const found = firstIn(member, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
      if (found !== undefined) return found
    }
    return undefined
  }

  for (const [what, operation, schemas] of [
    ['query parameters', parameter('query')],
    ['path parameters', parameter('path')],
    ['headers', parameter('header')],
    ['bodies', { requestBody: { content } }],
    ['answers', { responses: answer }],
    [
      'parts of bodies',
      { requestBody: { content: { 'application/json': { schema: { items: wrong } } } } },
    ],
    ['named schemas', {}, Object.fromEntries([...'abcdefghijklm'].map((name) => [name, wrong]))],
  ] as const) {
    it(`is left out of all of them: ${what}`, () => {
      const method = what === 'bodies' || what === 'parts of bodies' ? 'post' : 'get'
      const paths = Object.fromEntries(
        [...'abcdefghijklm'].map((name) => [`/${name}/{n}`, { [method]: operation }]),
      )
      const judge = (document: unknown) => {
        const path = firstIn(document)
        return { issues: path === undefined ? [] : [{ path, message: 'refused' }], warnings: [] }
      }
      const { document, losses, issues } = importOpenApi(
        { ...openapi, paths, components: { schemas: schemas ?? {} } },
        { realm_uri: 'com.example' },
        judge,
      )
      expect(issues).to.deep.equal([])
      expect(firstIn(document)).to.equal(undefined)
      expect(losses.filter(({ message }) => message.startsWith('refused'))).to.have.lengthOf(13)
    })
  }
})
