/** Versions: a map or a list, their labels and defaults. */
import { expect } from 'chai'
import { type Validation, validateSpec } from '#component/spec/validate.ts'
import { makeDocument } from './document.ts'

const pointersOf = ({ issues }: Validation): string[] => issues.map((issue) => issue.path)

describe('versions', () => {
  const version = (base_path: string, more: object = {}) => ({ base_path, paths: {}, ...more })
  const validate = (versions: unknown) => validateSpec({ ...makeDocument(), versions })
  const labelsOf = ({ spec }: Validation) => spec?.versions.map(({ label, path }) => [label, path])

  it('of a map are labelled by its keys', () => {
    const result = validate({ 'a/b': version('/a'), '2': version('/b', { version: 'x' }) })
    expect(labelsOf(result)).to.deep.equal([
      ['2', '/versions/2'],
      ['a/b', '/versions/a~1b'],
    ])
  })

  it('of a list are labelled by version, else by base_path without slashes and brackets', () => {
    const result = validate([
      version('/[v1.0]'),
      version('/a/[b]'),
      version('/c', { version: '3' }),
    ])
    expect(labelsOf(result)).to.deep.equal([
      ['v1.0', '/versions/0'],
      ['ab', '/versions/1'],
      ['3', '/versions/2'],
    ])
  })

  for (const [what, versions, pointers] of [
    ['equal labels', [version('/a'), version('/[a]')], ['/versions/1']],
    [
      'equal version keys',
      [version('/a', { version: 'x' }), version('/b', { version: 'x' })],
      ['/versions/1'],
    ],
    ['a label __proto__', [version('/a', { version: '__proto__' })], ['/versions/0']],
    ['a version that is no map', [7], ['/versions/0']],
    ['a version key that is no text', [version('/a', { version: 1 })], ['/versions/0/version']],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(pointersOf(validate(versions))).to.deep.equal(pointers)
    })
  }

  it('have the defaults of the specification', () => {
    expect(validate({ a: version('/a/') }).spec?.versions).to.deep.equal([
      {
        label: 'a',
        path: '/versions/a',
        base_path: '/a',
        is_active: true,
        is_deprecated: false,
        deprecated_at: undefined,
        pool_size: 200,
        info: {},
        openapi: {},
        languages: ['en'],
        variables: {},
        defaults: {},
        status_codes: {},
        paths: [],
      },
    ])
  })

  it('that are deprecated since a date are deprecated', () => {
    const { spec } = validate({ a: version('/a', { deprecated_at: '2026-11-30' }) })
    expect(spec?.versions[0]).to.include({
      is_deprecated: true,
      deprecated_at: Date.UTC(2026, 10, 30),
    })
  })

  it('with is_deprecated false and a date of deprecation are refused', () => {
    const both = { is_deprecated: false, deprecated_at: '2026-11-30' }
    expect(pointersOf(validate({ a: version('/a', both) }))).to.deep.equal([
      '/versions/a/deprecated_at',
    ])
  })

  for (const [title, sunset, warned] of [
    ['before', '2026-11-29', ['/versions/a/info/sunset']],
    ['on the day of', '2026-11-30', []],
    ['after', 'Wed, 30 Jun 2027 00:00:00 GMT', []],
  ] as const) {
    it(`${warned.length > 0 ? 'warn' : 'do not warn'} of an end ${title} the deprecation`, () => {
      const lifetime = { deprecated_at: '2026-11-30', info: { sunset } }
      const { issues, warnings } = validate({ a: version('/a', lifetime) })
      expect(issues).to.deep.equal([])
      expect(warnings.map(({ path }) => path)).to.deep.equal(warned)
    })
  }

  it('with a broken base_path are compiled, but route nothing', () => {
    expect(validate({ a: version('x') }).spec?.versions[0]).to.have.property('base_path', '?')
  })
})
