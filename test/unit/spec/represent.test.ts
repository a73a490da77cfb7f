/** What management shows of a document; the tables of defaults and status codes. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { isErrorUri, ServiceError } from '#component/errors.ts'
import { defaultValues, initialStatusCodes } from '#component/spec/defaults.ts'
import { info, represent } from '#component/spec/represent.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { makeDocument } from './document.ts'

const specs = new URL('../../cases/specs/', import.meta.url)

describe('represent', () => {
  for (const name of readdirSync(specs).filter((n) => !n.startsWith('security'))) {
    it(`gives ${name} as it was loaded, plus ts`, () => {
      const text = readFileSync(new URL(name, specs), 'utf8')
      expect(represent(JSON.parse(text), 7)).to.deep.equal({ ...JSON.parse(text), ts: 7 })
    })
  }

  it('gives a list of versions as a map by their labels', () => {
    const one = { base_path: '/[v1]', paths: {} }
    const two = { version: '2', base_path: '/v2', paths: {}, unknown: 1 }
    expect(represent({ id: 'a', versions: [one, two] }, 7)).to.deep.equal({
      id: 'a',
      versions: { v1: one, '2': two },
      ts: 7,
    })
  })

  it('gives what can be loaded again', () => {
    const { issues, warnings } = validateSpec(represent(makeDocument(), 7))
    expect({ issues, warnings }).to.deep.equal({ issues: [], warnings: [] })
  })

  it('replaces the ts of a document', () => {
    expect(represent({ ...makeDocument(), ts: 1 }, 7)).to.have.property('ts', 7)
  })
})

describe('info', () => {
  it('has the keys of the document that it shows, plus ts', () => {
    expect(info(makeDocument(), 7)).to.deep.equal({
      id: 'com.example.api',
      host: '_',
      realm_uri: 'com.example',
      ts: 7,
    })
    expect(info({ ...makeDocument(), name: 'n', meta: {} }, 7)).to.have.keys(
      'id',
      'name',
      'host',
      'realm_uri',
      'meta',
      'ts',
    )
  })
})

describe('initial values', () => {
  it('hold 34 status codes, those of the errors themselves', () => {
    expect(Object.keys(initialStatusCodes)).to.have.length(34)
    for (const [uri, status] of Object.entries(initialStatusCodes)) {
      expect(isErrorUri(uri) && new ServiceError(uri, '').status).to.equal(status)
    }
  })

  it('are valid defaults', () => {
    expect(validateSpec({ ...makeDocument(), defaults: defaultValues }).issues).to.deep.equal([])
  })
})
