/** What an import leaves out of an OpenAPI document, so that a gateway loads the rest. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { importOpenApi } from '#component/openapi/import/import.ts'
import { at, type Json } from './imported.ts'

const imported = (parts: Json) =>
  importOpenApi(
    {
      openapi: '3.1.1',
      info: { title: 'Orders', version: '1.0' },
      paths: { '/a': { get: {} } },
      ...parts,
    },
    { realm_uri: 'com.example' },
    (document) => compileDocument(document, { callTimeout: 1000 }),
  )

const parameter = (name: string) => ({ name, in: 'header', required: true, schema: {} })
const ofHeaders = (...names: readonly string[]) => ({
  paths: { '/a': { get: { parameters: names.map(parameter) } } },
})
const ofAnswer = (...names: readonly string[]) => {
  const headers = Object.fromEntries(names.map((name) => [name, {}]))
  return { paths: { '/a': { get: { responses: { '200': { description: 'd', headers } } } } } }
}
const ofServer = (url: string) => ({ servers: [{ url }] })
const ofSchemes = (...securitySchemes: readonly Json[]) => ({
  components: { securitySchemes: Object.fromEntries(Object.entries(securitySchemes)) },
  paths: Object.fromEntries(
    securitySchemes.map((_, index) => [`/${index}`, { get: { security: [{ [index]: [] }] } }]),
  ),
})
const flow = (name: string, tokenUrl = '/token') => ({
  type: 'oauth2',
  flows: { [name]: { tokenUrl, scopes: {} } },
})
const long = 'N'.repeat(150)

const version = ['versions', '1.0']
const path = (pattern: string) => [...version, 'paths', pattern, 'get']

type Row = readonly [it: string, parts: Json, told: string, keys: readonly string[], kept: unknown]

const rows: readonly Row[] = [
  ...[
    ['/b?x=1', 'a query is no part of a path', '/b'],
    ['/b#c', 'what follows "#" is not sent', '/b'],
    ['/b?', 'a query is no part of a path', '/b'],
    ['/b/{id}?x', 'a query is no part of a path', '/b/{id}'],
    ['/?b', 'a query is no part of a path', '/'],
    ['/b#{id}', 'what follows "#" is not sent', '/b'],
    ['/b#c?d', 'what follows "#" is not sent', '/b'],
  ].map(
    ([template = '', why, sent]): Row => [
      `the path ${template}`,
      { paths: { '/a': { get: {} }, [template]: { get: {} } } },
      `${why}: the requests are those of "${sent}", and this path is left out`,
      [...version, 'paths'],
      ['/a'],
    ],
  ),
  ...['X Foo', 'X:Y', '', 'x\u00e4', 'a,b', 'X-\nA'].map(
    (name): Row => [
      `the header ${JSON.stringify(name)} of a request`,
      ofHeaders(name, 'X-Ok'),
      'the parameter is left out',
      [...path('/a'), 'request', 'headers', 'required'],
      ['x-ok'],
    ],
  ),
  ...['X Rate', 'X:Y', 'Content-Length', 'Proxy-Status', 'Connection'].map(
    (name): Row => [
      `the header ${name} of an answer, and keeps the others`,
      ofAnswer(name, 'X-Ok'),
      'is left out',
      [...path('/a'), 'responses', '200', 'headers'],
      ['x-ok'],
    ],
  ),
  ...[
    ['https://a.example.com//v1', '/v1'],
    ['https://a.example.com//v1//x///', '/v1/x'],
    ['/v1//', '/v1'],
    ['https://a.example.com//', '/'],
    ['//', '/'],
    ['/v1/:x/[y]', '/v1/%3Ax/%5By%5D'],
  ].map(
    ([url = '', base]): Row => [
      `what no base path has of the server ${url}`,
      ofServer(url),
      url === '//'
        ? 'it is not a URL'
        : /\/\/.*[^/]$|x\/\/\//.test(url.slice(7))
          ? 'empty segments'
          : '',
      [...version, 'base_path'],
      base,
    ],
  ),
  [
    'a token path with empty segments',
    ofSchemes(flow('password', '/v1//token')),
    'tokens are given at /oauth/token',
    [...path('/0'), 'security'],
    { type: 'oauth2', flow: 'resource_owner_password_credentials' },
  ],
  ...['X Key', '', 'a:b'].map(
    (name): Row => [
      `the name ${JSON.stringify(name)} of an API key`,
      ofSchemes({ type: 'apiKey', in: 'header', name }),
      'no field has this name',
      [...path('/0'), 'security'],
      { type: 'api_key' },
    ],
  ),
  [
    'what names of schemas have beyond 100 characters',
    { components: { schemas: { [`${long}1`]: {}, [`${long}2`]: { type: 'null' } } } },
    'the schema is named NNN',
    ['schemas'],
    ['N'.repeat(100), `${'N'.repeat(98)}_2`],
  ],
  [
    'what ten names of schemas have beyond 100 characters',
    {
      components: {
        schemas: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [long + n, {}])),
      },
    },
    'the schema is named NNN',
    ['schemas', `${'N'.repeat(97)}_10`],
    {},
  ],
]

describe('An import leaves out', () => {
  for (const [title, parts, told, keys, kept] of rows) {
    it(title, () => {
      const { document, losses, issues } = imported(parts)
      expect(issues).to.deep.equal([])
      expect(losses.map(({ message }) => message).join('\n')).to.include(told)
      const found = at(document, ...keys)
      const isMapOfNames = Array.isArray(kept) && !Array.isArray(found)
      expect(isMapOfNames ? Object.keys(found as object) : found).to.deep.equal(kept)
    })
  }

  for (const [title, paths] of [
    ['no paths', undefined],
    ['an empty map of paths', {}],
    ['paths without operations', { '/a': { parameters: [] } }],
    ['operations that the gateway does not serve', { '/a': { trace: {} } }],
    ['paths that it leaves out', { '/a?b': { get: {} }, '/{x}{y}': { get: {} } }],
    ['webhooks only', { 'x-paths': {} }],
  ] as const) {
    it(`not everything: ${title} are an error`, () => {
      const count = Object.keys(paths ?? {}).length
      const { issues } = imported({ paths })
      expect(issues).to.deep.equal([
        {
          path: '/paths',
          message: `nothing is left: ${count} of ${count} paths have no operation`,
        },
      ])
    })
  }
})
