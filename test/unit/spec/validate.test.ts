/** validateSpec: whole documents, real and bad ones, and the ApiSpec it makes. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { type Validation, validateSpec } from '#component/spec/validate.ts'
import { makeDocument, withValue } from './document.ts'

const cases = new URL('../../cases/', import.meta.url)
const path = '/versions/1/paths/~1x'

const read = (name: string) => JSON.parse(readFileSync(new URL(name, cases), 'utf8'))
const pointersOf = ({ issues }: Validation): string[] => issues.map((issue) => issue.path)

describe('real API Specifications', () => {
  // security_config.json is a list of realm documents
  for (const name of readdirSync(new URL('specs/', cases)).filter(
    (n) => !n.startsWith('security'),
  )) {
    it(`${name} is valid, without a warning`, () => {
      const { spec, issues, warnings } = validateSpec(read(`specs/${name}`))
      expect({ issues, warnings }).to.deep.equal({ issues: [], warnings: [] })
      expect(spec?.versions).to.have.length(1)
    })
  }
})

describe('bad documents', () => {
  interface BadInput {
    readonly area: string
    readonly input: { readonly what: string; readonly body?: unknown; readonly body_raw?: string }
    readonly expected: { readonly note: string }
  }
  const inputs: BadInput[] = read('bad-inputs.json')
  // what others decide: realms and other documents, the meaning of expressions, what is inherited
  const decidedElsewhere = [
    'unknown realm',
    'doubling variables (2^30 characters)',
    'expression not closed',
    'kwargs with the argument that an inherited trace adds',
  ]
  for (const { area, input, expected } of inputs) {
    if (area !== 'spec' || typeof input.body !== 'object') continue
    const wanted = decidedElsewhere.includes(input.what)
      ? undefined
      : expected.note
          .slice(expected.note.indexOf('"') + 1)
          .split('…')[0]
          ?.split('"')[0]
    it(`${input.what}: ${wanted === undefined ? 'is found elsewhere' : `one issue at ${wanted}`}`, () => {
      const pointers = pointersOf(validateSpec(input.body))
      expect(pointers).to.have.length(wanted === undefined ? 0 : 1)
      if (wanted !== undefined) expect(pointers[0]).to.match(new RegExp(`^${wanted}`))
    })
  }

  for (const document of [[], 42, '', 'x', null, true, undefined]) {
    it(`${JSON.stringify(document)} must be an object`, () => {
      const { spec, issues } = validateSpec(document)
      expect(spec).to.equal(undefined)
      expect(issues).to.have.length(1)
      expect(issues[0]).to.have.property('message').that.includes('document must be an object')
    })
  }

  it('lists all issues of a document, each once', () => {
    const document = {
      ...withValue(`${path}/get/action`, { type: 'exec', cmd: 1 }),
      host: 'https://a',
      meta: [],
      status_codes: { a: 1, b: 200, c: 'x' },
    }
    expect(pointersOf(validateSpec(document)).toSorted()).to.deep.equal([
      '/host',
      '/meta',
      '/status_codes/a',
      '/status_codes/c',
      `${path}/get/action/type`,
    ])
  })

  it('says what was found and what is allowed', () => {
    expect(validateSpec(withValue(`${path}/schemes`, ['ftp'])).issues).to.deep.equal([
      { path: `${path}/schemes/0`, message: 'expected one of http, https, got "ftp"' },
    ])
  })

  it('does not show a header value, which may be a secret', () => {
    const [issue] = validateSpec(withValue(`${path}/headers`, { 'x-key': 's3cret\n' })).issues
    expect(issue?.message).to.include('column 7').and.not.include('s3cret')
  })

  for (const [title, document] of [
    ['in a host', withValue(`${path}/get/action`, { type: 'forward', host: 'http://u:s3cret@h' })],
    ['in the place of headers', withValue(`${path}/headers`, 's3cret')],
    ['in the place of the document', 's3cret'],
  ] as const) {
    it(`does not show what may be a credential ${title}`, () => {
      const { issues } = validateSpec(document)
      expect(issues).to.not.deep.equal([])
      expect(JSON.stringify(issues)).to.not.include('s3cret')
    })
  }

  it('counts, but does not describe, issues beyond the first thousand', () => {
    const { issues } = validateSpec(withValue(`${path}/accepts`, Array(200_000).fill('x')))
    expect(issues).to.have.length(200_000)
    expect(new Set(issues).size).to.equal(1001)
  })
})

describe('the ApiSpec', () => {
  it('holds what the document holds', () => {
    const { spec } = validateSpec({
      ...makeDocument(),
      name: 'n',
      meta: { a: 1 },
      variables: { b: 2 },
    })
    expect(spec).to.deep.include({
      id: 'com.example.api',
      name: 'n',
      host: '_',
      realm_uri: 'com.example',
      meta: { a: 1 },
      variables: { b: 2 },
      defaults: {},
      status_codes: {},
    })
    expect(spec?.versions[0]?.paths[0]).to.deep.include({ pattern: '/x', path })
  })

  it('has no name and meta where the document has none', () => {
    expect(validateSpec(makeDocument()).spec).to.not.have.any.keys('name', 'meta')
  })

  for (const [at, key, empty] of [
    ['/id', 'id', ''],
    ['/host', 'host', ''],
    ['/realm_uri', 'realm_uri', ''],
    ['/variables', 'variables', {}],
    ['/versions', 'versions', []],
  ] as const) {
    it(`has an empty ${key} where the document's is broken, so that compiling finds the rest`, () => {
      expect(validateSpec(withValue(at, 7)).spec?.[key]).to.deep.equal(empty)
    })
  }
})
