/** `import openapi`: a document on standard output, what it leaves out on standard error, and exit codes. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parseJson } from '#component/codec/json.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { runCli } from './terminal.ts'

describe('wamp-gateway import openapi', () => {
  let folder: string

  const files = {
    'orders.yaml': `openapi: 3.1.0
info: { title: Orders, version: 1.0.0 }
servers: [{ url: https://api.example.com/v1 }]
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      responses: { '200': { description: The order. } }
`,
    'cookies.json': `{
  "openapi": "3.0.3", "info": {"title": "C", "version": "1"},
  "paths": {"/a": {"get": {"parameters": [
    {"name": "sid", "in": "cookie"}
  ]}}}
}
`,
    'swagger.json': '{"swagger": "2.0"}',
    'newer.json': '{"openapi": "4.0.0"}',
    'list.json': '[]',
    'broken.yaml': 'openapi: [\n',
    'wrong.json': `{"openapi": "3.1.0", "paths": {"/a": {"get": {
  "x-wamp-procedure": "not a URI"
}}}}`,
  }

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'import-'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  })
  after(() => rmSync(folder, { recursive: true }))

  const run = (name: string, ...options: readonly string[]) =>
    runCli(['import', 'openapi', join(folder, name), '--realm', 'com.example', ...options])

  it('prints procedures that a gateway loads, handled by the first server', async () => {
    const { code, out } = await run('orders.yaml', '--as', 'procedures')
    expect(code).to.equal(0)
    const { issues } = compileDocument(parseJson(out), { callTimeout: 1000 })
    expect(issues).to.deep.equal([])
    const { procedures, variables } = parseJson(out) as Record<string, object>
    expect(Object.keys(procedures ?? {})).to.deep.equal(['com.example.get.order'])
    expect(variables).to.deep.equal({ upstream: 'https://api.example.com' })
  })

  it('prints a document that a gateway loads', async () => {
    const { code, out } = await run('orders.yaml', '--forward', 'http://127.0.0.1:8080')
    expect(code).to.equal(0)
    expect(compileDocument(JSON.parse(out), { callTimeout: 1000 }).issues).to.deep.equal([])
  })

  it('tells what is left out on standard error, with its place, and exits with 1 only when asked to', async () => {
    const found = await run('cookies.json')
    const at = `${join(folder, 'cookies.json')}:4:5`
    expect(found.err).to.include(
      `${at}: warning: /paths/~1a/get/parameters/0: the gateway reads no cookies: the parameter sid is left out\n`,
    )
    expect(found.code).to.equal(0)
    const strict = await run('cookies.json', '--strict')
    expect(strict).to.deep.equal({ ...found, code: 1 })
  })

  it('prints nothing but the reasons where no gateway would load the result', async () => {
    const { code, out, err } = await run('wrong.json')
    expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    expect(err).to.include(': error: /paths/~1a/get')
    expect(err).to.include('expected a WAMP URI, got "not a URI"')
  })

  for (const [name, sentence] of [
    ['swagger.json', 'Swagger 2.0 is not read: convert the document to OpenAPI 3 first'],
    ['newer.json', 'expected OpenAPI 3.0, 3.1 or 3.2, got "4.0.0"'],
    ['list.json', 'expected an OpenAPI document, which is a map'],
    ['broken.yaml', ''],
  ] as const) {
    it(`exits with 65 for ${name}`, async () => {
      const { code, out, err } = await run(name)
      expect({ code, out }).to.deep.equal({ code: 65, out: '' })
      expect(err).to.include(`${name}:`).and.include(sentence)
    })
  }

  it('exits with 66 for a file that does not exist', async () => {
    expect(await run('none.yaml')).to.deep.include({ code: 66, out: '' })
  })

  for (const [options, sentence] of [
    [['--realm', 'not a realm'], '--realm: '],
    [['--host', 'not a host'], '--host: '],
    [['--id', 'ü'], '--id: '],
    [['--prefix', '.a'], '--prefix: '],
    [['--forward', 'ftp://example.com'], '--forward: '],
    [['--forward', 'http://example.com/?x=1'], '--forward: expected a URL without a query'],
    [['--as', 'routes'], '--as: expected procedures, found "routes"'],
    [['--as', 'procedures', '--host', 'a.example'], '--host: procedures have no host'],
  ] as const) {
    it(`exits with 64 for ${options.join(' ')}`, async () => {
      const { code, err } = await run('orders.yaml', ...options)
      expect(code).to.equal(64)
      expect(err).to.include(sentence)
    })
  }

  it('exits with 64 without a realm, and for another format', async () => {
    const file = join(folder, 'orders.yaml')
    expect((await runCli(['import', 'openapi', file])).err).to.include('--realm is missing')
    expect((await runCli(['import', 'raml', file, '--realm', 'a'])).err).to.include('found "raml"')
  })

  for (const [literal, told, kept] of [
    ['-9223372036854776000', true, -9223372036854776000],
    ['18446744073709552000', true, 18446744073709552000],
    ['-9223372036854775809', true, -(2 ** 63)],
    ['340282366920938463463374607431768211455', true, 2 ** 128],
    ['-9223372036854775808', false, -(2n ** 63n)],
    ['18446744073709551615', false, 2n ** 64n - 1n],
    ['9007199254740993', false, 9007199254740993n],
    ['1e+300', false, 1e300],
  ] as const) {
    for (const file of ['bound.json', 'bound.yaml'])
      it(`keeps the bound ${literal} of a ${file.slice(6)} file${told ? ' as a double, and tells it' : ''}`, async () => {
        const text = `{"openapi": "3.1.0", "info": {"title": "B", "version": "1"},
          "components": {"schemas": {"N": {"minimum": ${literal}}}}, "paths": {"/a": {"get": {}}}}`
        writeFileSync(join(folder, file), text)
        const { code, out, err } = await run(file)
        expect(code).to.equal(0)
        expect(parseJson(out)).to.have.nested.property('schemas.N.minimum', kept)
        const sentence =
          '/components/schemas/N/minimum: an integer of more than 64 bits is kept as a double'
        expect(err.includes(sentence)).to.equal(told)
      })
  }

  for (const [literal, label] of [
    ['2.1', '2.1'],
    ['2.10', '2.10'],
    ['1.0', '1.0'],
    ['3', '3'],
    ['1e3', '1e3'],
    ['0x10', '0x10'],
    ['2026-01-01', '2026-01-01'],
    ["'2.10'", '2.10'],
  ] as const) {
    it(`takes version: ${literal} for the text ${label}`, async () => {
      writeFileSync(
        join(folder, 'version.yaml'),
        `openapi: 3.1\ninfo: { title: 2048, version: ${literal} }\npaths: { /a: { get: {} } }\n`,
      )
      const { code, out } = await run('version.yaml')
      expect(code).to.equal(0)
      const document = JSON.parse(out) as { name: string; versions: object }
      expect([document.name, ...Object.keys(document.versions)]).to.deep.equal(['2048', label])
    })
  }

  it('reads the files below its folder that it refers to, and says which references lead to none', async () => {
    for (const folderOf of ['models', 'paths']) mkdirSync(join(folder, folderOf))
    const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
    write(
      'main.yaml',
      `openapi: 3.1.0
info: { title: Files, version: '1' }
paths:
  /pets: { $ref: paths/pets.yaml }
  /owners:
    get: { $ref: 'paths/owners.yaml#/list' }
  /beyond: { $ref: ../beyond.yaml }
  /missing: { $ref: paths/none.yaml }
  /linked: { $ref: paths/linked.yaml }
  /away: { $ref: 'https://example.com/a.yaml' }
components:
  schemas:
    Id: { type: string, maxLength: 8 }
`,
    )
    write(
      'paths/pets.yaml',
      `post:
  requestBody: { content: { application/json: { schema: { $ref: ../models/pet.json } } } }
  responses: { '200': { description: Made. } }
`,
    )
    write(
      'paths/owners.yaml',
      `list: { responses: { '200': { description: All. } } }
`,
    )
    write(
      'models/pet.json',
      '{"type": "object", "properties": {"id": {"$ref": "../main.yaml#/components/schemas/Id"}, "kids": {"type": "array", "items": {"$ref": "#"}}, "of": {"$ref": "pet.json#/properties/id"}}}',
    )
    symlinkSync('/etc/hostname', join(folder, 'paths/linked.yaml'))
    const { code, out, err } = await run('main.yaml')
    expect(code).to.equal(0)
    const document = JSON.parse(out)
    const { paths } = document.versions['1']
    expect(Object.keys(paths)).to.include.members(['/pets', '/owners'])
    expect(Object.keys(document.schemas)).to.include.members(['Id', 'models_pet_json'])
    expect(document.schemas.models_pet_json.properties).to.deep.equal({
      id: { $ref: '#/schemas/Id' },
      kids: { type: 'array', items: { $ref: '#/schemas/models_pet_json' } },
      of: { $ref: '#/schemas/models_pet_json_id' },
    })
    for (const [path, why] of [
      ['beyond', 'no file below the folder'],
      ['missing', 'no file below the folder'],
      ['linked', 'no file below the folder'],
      ['away', 'only references within the document, and to files below its folder'],
    ])
      expect(err).to.match(new RegExp(`/paths/~1${path}/\\$ref: .*${why}`))
  })

  it('exits with 1 where nothing is left', async () => {
    writeFileSync(
      join(folder, 'nothing.yaml'),
      `openapi: 3.1.0\ninfo: { title: N, version: '1' }\npaths: { '/a?b': { get: {} } }\n`,
    )
    const { code, out, err } = await run('nothing.yaml')
    expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    expect(err).to.include(':3:1: error: /paths: nothing is left: 1 of 1 paths have no operation\n')
  })
})
