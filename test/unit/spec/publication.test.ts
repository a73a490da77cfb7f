/** The keys that are written for people and tools: `openapi` of a version, and those of an operation. */
import { expect } from 'chai'
import { validateSpec } from '#component/spec/validate.ts'
import { withValue } from './document.ts'
import { path, show } from './field-rows.ts'

const openapi = '/versions/1/openapi'
const operation = `${path}/get`

/** Key: valid values, and values with the pointers of their issues below the key. */
const rows: Readonly<
  Record<
    string,
    Readonly<Record<string, readonly [valid: readonly unknown[], wrong: readonly unknown[][]]>>
  >
> = {
  [openapi]: {
    path: [
      ['/openapi', '/a/b.json'],
      [
        [1, ''],
        ['openapi', ''],
        ['/', ''],
        ['/a/', ''],
        ['/:a', ''],
        ['/[a]', ''],
        ['{{variables.p}}', ''],
      ],
    ],
    security: [
      [{}, { type: 'basic' }, '{{variables.security}}'],
      [
        [{ type: 'x' }, '/type'],
        [1, ''],
      ],
    ],
    servers: [
      [['https://api.example.com/v1', 'http://localhost:8080']],
      [
        [[], ''],
        ['https://a', ''],
        [['/v1'], '/0'],
        [['ftp://a'], '/0'],
        [['https://'], '/0'],
      ],
    ],
    contact: [
      [{}, { name: 'a', url: 'https://a.example', email: 'a@example.com' }],
      [
        ['a', ''],
        [{ name: 1 }, '/name'],
        [{ url: 'a' }, '/url'],
      ],
    ],
    license: [
      [{ name: 'MIT', identifier: 'MIT' }],
      [
        [{}, '/name'],
        [{ name: 'a', url: 1 }, '/url'],
      ],
    ],
    terms_of_service: [['https://a.example/terms'], [['terms', '']]],
    tags: [
      [[{ name: 'orders' }, { name: 'b', description: 'B.' }]],
      [
        [[], ''],
        [['orders'], '/0'],
        [[{ description: 'a' }], '/0/name'],
      ],
    ],
  },
  [operation]: {
    operation_id: [
      ['getOrder', 'a.b-c_1'],
      [
        ['', ''],
        ['a b', ''],
        [1, ''],
        ['{{variables.id}}', ''],
      ],
    ],
    tags: [
      [[], ['orders']],
      [
        ['orders', ''],
        [[1], '/0'],
      ],
    ],
    hidden: [[true, false], [['yes', '']]],
    responses: [
      [
        {},
        { '404': {} },
        { '2XX': { description: '{{ is text }}' }, default: { schema: true } },
        { '200': { headers: { ETag: { description: 'a', schema: { type: 'string' } } } } },
      ],
      [
        [[], ''],
        [{ '100': {} }, '/100'],
        [{ all: {} }, '/all'],
        [{ '404': 'gone' }, '/404'],
        [{ '404': { schema: 'a' } }, '/404/schema'],
        [{ '404': { headers: ['a'] } }, '/404/headers'],
        [{ '404': { headers: { 'a b': {} } } }, '/404/headers/a b'],
        [{ '404': { headers: { a: 'b' } } }, '/404/headers/a'],
      ],
    ],
  },
}

const documentWith = (object: string, key: string, value: unknown) => {
  const document = withValue(`${openapi}/path`, '/openapi')
  let target: unknown = document
  for (const part of object.slice(1).split('/')) {
    target = (target as Record<string, unknown>)[part.replaceAll('~1', '/')]
  }
  Object.assign(target as object, { [key]: value })
  return document
}

for (const [object, keys] of Object.entries(rows)) {
  describe(`the published keys of ${object}`, () => {
    for (const [key, [valid, wrong]] of Object.entries(keys)) {
      for (const value of valid) {
        it(`${key} may be ${show(value)}`, () => {
          const { issues, warnings } = validateSpec(documentWith(object, key, value))
          expect({ issues, warnings }).to.deep.equal({ issues: [], warnings: [] })
        })
      }
      for (const [value, below] of wrong) {
        it(`${key} may not be ${show(value)}`, () => {
          const { issues } = validateSpec(documentWith(object, key, value))
          expect(issues.map((issue) => issue.path)).to.deep.equal([`${object}/${key}${below}`])
        })
      }
    }
  })
}

describe('what is published of a version', () => {
  it('names the path that a docs page needs', () => {
    const { issues } = validateSpec(withValue(openapi, { docs_path: '/docs' }))
    expect(issues).to.deep.equal([
      {
        path: `${openapi}/path`,
        message: 'path is missing: expected the path of the description that the docs page shows',
      },
    ])
  })

  it('has each operation id once, and says where the other one is', () => {
    const document = withValue(`${path}/get/operation_id`, 'one')
    documentOfPath(document, 'put').operation_id = 'one'
    expect(validateSpec(document).issues).to.deep.equal([
      {
        path: `${path}/put/operation_id`,
        message: `the operation id "one" is already used by ${path}/get/operation_id`,
      },
    ])
  })
})

function documentOfPath(document: Record<string, unknown>, method: string) {
  const { versions } = document as { versions: Record<string, { paths: Paths }> }
  return versions['1']?.paths['/x']?.[method] as Record<string, unknown>
}

type Paths = Record<string, Record<string, unknown>>
