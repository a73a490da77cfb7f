/** The JSON Schemas that `schema` prints: what they allow, what they refuse, and what an editor makes of them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import languageService from 'vscode-json-languageservice'
import { parse } from 'yaml'
import { validateSpec } from '#component/spec/validate.ts'
import { runCli } from './terminal.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'))

async function schemaOf(kind: string): Promise<languageService.JSONSchema> {
  const { code, out } = await runCli(['schema', kind])
  expect(code).to.equal(0)
  return JSON.parse(out)
}

async function checkOf(kind: string) {
  const ajv = new Ajv2020({ allowUnionTypes: true, strict: false, allErrors: true })
  const check = ajv.compile(await schemaOf(kind))
  return (value: unknown) => {
    check(value)
    return (check.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)
  }
}

/** Refused for what their texts say, which no schema sees. */
const rightShape = [
  '30 optional segments (2^30 expansions)',
  'host with userinfo',
  'lone surrogate in a string',
  'static header value with CRLF',
  'binding called __proto__',
  'forward host with scheme file:',
  'path with dot segments',
  'host with a scheme',
  'unknown realm',
  'doubling variables (2^30 characters)',
  'expression not closed',
  'forward host is the metadata address',
  'static procedure that is no WAMP URI',
  'kwargs with the argument that an inherited trace adds',
]

interface BadInput {
  readonly input: { readonly kind?: string; readonly what: string; readonly body?: unknown }
}

const badDocuments = (read('test/cases/bad-inputs.json') as readonly BadInput[])
  .map(({ input }) => input)
  .filter(({ kind, body }) => kind?.includes('api_specs') && typeof body === 'object')

describe('the JSON Schema of API Specifications', () => {
  let errorsOf: (value: unknown) => readonly string[]
  before(async () => {
    errorsOf = await checkOf('api-spec')
  })

  for (const name of readdirSync(join(root, 'test/cases/specs'))) {
    if (name === 'security_config.json') continue
    it(`allows the real document ${name}`, () => {
      for (const document of [read(`test/cases/specs/${name}`)].flat())
        expect(errorsOf(document)).to.deep.equal([])
    })
  }

  for (const name of ['hello', 'live', 'oauth2', 'oidc-login', 'tools']) {
    it(`allows the example ${name}`, () => {
      expect(errorsOf(read(`examples/${name}/api-spec.json`))).to.deep.equal([])
    })
  }

  it('has bad inputs to refuse, and all those of the right shape are among them', () => {
    expect(badDocuments).to.have.length.of.at.least(26)
    expect(badDocuments.map(({ what }) => what)).to.include.members(rightShape)
  })

  for (const { what, body } of badDocuments) {
    const isRight = rightShape.includes(what)
    it(`${isRight ? 'cannot see' : 'refuses'}: ${what}`, () => {
      expect(errorsOf(body).length > 0).to.equal(!isRight)
    })
  }

  it('refuses what a load only warns of: a key that does not exist', () => {
    const document = structuredClone(read('examples/hello/api-spec.json')) as Record<
      string,
      unknown
    >
    document.variabels = {}
    expect(errorsOf(document)).to.deep.equal([' additionalProperties'])
    expect(validateSpec(document).issues).to.deep.equal([])
  })

  it('allows $schema, which a load takes without a warning', () => {
    const document = { $schema: 'x', ...(read('examples/hello/api-spec.json') as object) }
    expect(errorsOf(document)).to.deep.equal([])
    const { issues, warnings } = validateSpec(document)
    expect([issues, warnings]).to.deep.equal([[], []])
  })

  it('allows a document with deliveries alone, and refuses a delivery without a target', () => {
    const withDelivery = (delivery: object) => ({
      ...{ id: 'a', realm_uri: 'a.b', deliveries: { it: { topic: 'a.b', ...delivery } } },
    })
    expect(errorsOf(withDelivery({ to: { url: 'https://a.example' } }))).to.deep.equal([])
    expect(errorsOf(withDelivery({ to: { upstream: 'a', path: '/' } }))).to.deep.equal([])
    for (const to of [{}, { upstream: 'a' }, { url: 'https://a.example', upstream: 'a' }]) {
      expect(errorsOf(withDelivery({ to }))).to.not.deep.equal([])
    }
  })

  it('allows an empty action under options only', () => {
    const withAction = (method: string) => ({
      ...{ id: 'a', host: '_', realm_uri: 'a.b' },
      versions: {
        '1': { base_path: '/', paths: { '/x': { [method]: { action: {}, response: {} } } } },
      },
    })
    expect(errorsOf(withAction('options'))).to.deep.equal([])
    expect(errorsOf(withAction('get'))).to.not.deep.equal([])
  })

  it('is short enough to be read by an editor at once: shared rules are definitions', async () => {
    const { out } = await runCli(['schema'])
    expect(out.length).to.be.below(180_000)
  })
})

describe('the JSON Schema of realm documents', () => {
  let errorsOf: (value: unknown) => readonly string[]
  before(async () => {
    errorsOf = await checkOf('realm')
  })

  for (const path of [
    'test/cases/specs/security_config.json',
    'test/cases/realms/security-config.json',
    'examples/hello/realm.json',
  ]) {
    it(`allows ${path}`, () => expect(errorsOf(read(path))).to.deep.equal([]))
  }

  it('refuses a realm without uri, a user without name and a grant for nothing', () => {
    expect(errorsOf({})).to.include(' required')
    expect(errorsOf({ uri: 'a.b', users: [{}] })).to.include('/users/0 required')
    const grant = { permissions: 'wamp.call', roles: 'all' }
    expect(errorsOf({ uri: 'a.b', grants: [grant] })).to.include('/grants/0 anyOf')
  })
})

describe('the JSON Schema of the configuration', () => {
  it('allows those of the examples, with $schema, and refuses an unknown option', async () => {
    const errorsOf = await checkOf('config')
    for (const name of ['hello', 'live', 'oauth2', 'oidc-login', 'tools']) {
      const config = parse(readFileSync(join(root, `examples/${name}/gateway.yaml`), 'utf8'))
      expect(errorsOf({ $schema: 'x', ...config }), name).to.deep.equal([])
    }
    expect(errorsOf({ gateway: { lisen: 1 } })).to.deep.equal(['/gateway additionalProperties'])
  })
})

describe("VS Code's language service with the schema of API Specifications", () => {
  let service: languageService.LanguageService
  before(async () => {
    service = languageService.getLanguageService({
      schemaRequestService: () => Promise.reject(new Error('none')),
    })
    const schema = await schemaOf('api-spec')
    service.configure({ schemas: [{ uri: 'file:///schema.json', fileMatch: ['*.json'], schema }] })
  })

  const open = (text: string) => {
    const document = languageService.TextDocument.create('file:///spec.json', 'json', 1, text)
    return { document, parsed: service.parseJSONDocument(document) }
  }

  const operation = (text: string) =>
    `{"id": "a", "host": "_", "realm_uri": "a.b", "versions": {"1": {"base_path": "/", "paths": {"/x": {"get": ${text}}}}}}`

  async function completionsAt(text: string): Promise<readonly string[]> {
    const { document, parsed } = open(text.replace('|', ''))
    const list = await service.doComplete(document, document.positionAt(text.indexOf('|')), parsed)
    return list?.items.map(({ label }) => label) ?? []
  }

  it('completes the members of an action, by its type', async () => {
    const call = await completionsAt(operation('{"action": {"type": "wamp_call", |}}'))
    expect(call).to.include.members(['procedure', 'args', 'kwargs', 'options', 'timeout'])
    expect(call).to.not.include.members(['topic'])
    const forward = await completionsAt(operation('{"action": {"type": "forward", |}}'))
    expect(forward).to.include.members(['host', 'path', 'http_method', 'query_string'])
  })

  it('completes the types of actions', async () => {
    const types = await completionsAt(operation('{"action": {"type": |}}'))
    expect(types).to.include.members(['"static"', '"forward"', '"wamp_call"', '"wamp_publish"'])
  })

  it('flags bdy', async () => {
    const text = operation('{"action": {"type": "static", "bdy": 1}, "response": {}}')
    const { document, parsed } = open(text)
    const found = await service.doValidation(document, parsed)
    expect(found.map(({ message, range }) => [message, document.getText(range)])).to.deep.equal([
      ['Property bdy is not allowed.', '"bdy"'],
    ])
  })

  it('finds nothing in the hello example', async () => {
    const text = readFileSync(join(root, 'examples/hello/api-spec.json'), 'utf8')
    const { document, parsed } = open(text)
    expect(await service.doValidation(document, parsed)).to.deep.equal([])
  })
})
