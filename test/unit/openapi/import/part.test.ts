/** A part of an OpenAPI document: paths of a form, and operations with a tag. */
import { expect } from 'chai'
import { hasPath } from '#component/openapi/import/part.ts'
import { at, imported } from './imported.ts'

const ref = (name: string) => ({
  requestBody: {
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  },
})
const components = {
  schemas: {
    Left: {
      type: 'object',
      'x-left': 1,
      properties: { a: { $ref: '#/components/schemas/Other' } },
    },
    Other: { nonsense: { $ref: 'other.json' }, $ref: 'elsewhere.json' },
    Pet: { properties: { owner: { $ref: '#/components/schemas/Owner' } } },
    Owner: {
      properties: {
        pets: { items: { $ref: '#/components/schemas/Pet' } },
        x: { $ref: '#/components/schemas/Deep/properties/y' },
      },
    },
    Deep: { properties: { y: { type: 'string' } } },
  },
}
const paths = {
  '/pets': { get: { tags: ['pets'] }, post: { tags: ['pets', 'admin'], ...ref('Pet') } },
  '/pets/{id}': { get: { tags: ['pets'] }, delete: { tags: ['admin'] } },
  '/hats': { get: { parameters: [{ name: 'c', in: 'cookie' }] }, post: ref('Left') },
}

const partOf = (globs: readonly string[], tags: readonly string[] = []) =>
  imported({ paths, components }, { part: { globs, tags } })
const operationsIn = (found: ReturnType<typeof imported>) =>
  Object.fromEntries(
    Object.entries(at(found.document, 'versions', '1.0', 'paths') as object).map(([path, item]) => [
      path,
      Object.keys(item as object).filter((key) => ['get', 'post', 'delete'].includes(key)),
    ]),
  )

describe('A part of an OpenAPI document', () => {
  for (const [glob, template, isWanted] of [
    ['/pets', '/pets', true],
    ['/pets', '/pets/{id}', false],
    ['/pets/*', '/pets/{id}', true],
    ['/pets/*', '/pets', false],
    ['/pets/*', '/pets/{id}/toys', false],
    ['/pets/**', '/pets', true],
    ['/pets/**', '/pets/{id}/toys', true],
    ['/pets/**', '/petshop', false],
    ['/pet*', '/petshop', true],
    ['/**/toys', '/pets/{id}/toys', true],
    ['/**/toys', '/toys', true],
    ['/**', '/', true],
    ['/pets/{id}', '/pets/{id}', true],
    ['/pets/{id}', '/pets/id', false],
    ['/a.b', '/axb', false],
    ['/a+(b)', '/a+(b)', true],
    ['**toys', '/pets/toys', true],
    ['pets', '/pets', false],
  ] as const) {
    it(`of ${glob} ${isWanted ? 'has' : 'does not have'} ${template}`, () => {
      expect(hasPath({ globs: [glob], tags: [] }, template)).to.equal(isWanted)
    })
  }

  for (const [globs, tags, operations] of [
    [['/pets'], [], { '/pets': ['get', 'post'] }],
    [['/pets/**'], [], { '/pets': ['get', 'post'], '/pets/{id}': ['get', 'delete'] }],
    [['/pets', '/hats'], [], { '/pets': ['get', 'post'], '/hats': ['get', 'post'] }],
    [[], ['admin'], { '/pets': ['post'], '/pets/{id}': ['delete'] }],
    [['/pets/*'], ['pets'], { '/pets/{id}': ['get'] }],
    [[], ['admin', 'pets'], { '/pets': ['get', 'post'], '/pets/{id}': ['get', 'delete'] }],
    [['/none'], [], {}],
    [[], ['Pets'], {}],
  ] as const) {
    it(`of ${[...globs, ...tags].join(' and ')} has these operations only`, () => {
      expect(operationsIn(partOf(globs, tags))).to.deep.equal(operations)
    })
  }

  it('has the schemas that it refers to, and tells nothing of what it does not have', () => {
    const { document, losses } = partOf(['/pets'])
    expect(Object.keys(at(document, 'schemas') as object)).to.deep.equal(['Pet', 'Owner', 'Deep'])
    expect(losses).to.deep.equal([])
  })

  it('that has nothing is an error', () => {
    expect(partOf(['/none']).issues.map(({ path, message }) => [path, message])).to.deep.equal([
      ['/paths', 'nothing is left: 3 of 3 paths have no operation'],
    ])
  })

  it('leaves the whole as it is where none is asked for', () => {
    expect(partOf([]).document).to.deep.equal(imported({ paths, components }).document)
  })
})
