/** `is_deprecated`, `deprecated_at` and `sunset` at versions, paths and operations: headers, OpenAPI, and what a load says. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { documentOf, fixed, issuesOf, serve } from '#test/unit/gateway/fake-exchange.ts'
import { describeDocument } from '#test/unit/openapi/describe.ts'

const june = 'Wed, 30 Jun 2027 00:00:00 GMT'
const july = 'Sat, 31 Jul 2027 00:00:00 GMT'

const document = (operation: object, path: object = {}, version: object = {}) =>
  documentOf({ '/x': { ...path, get: { ...fixed(), ...operation } } }, {}, version)

const versionWith = (more: object) => ({ ...more, info: { sunset: '2027-06-30' } })

describe('the lifetime of an operation', () => {
  for (const [it_, operation, path, version, deprecation, sunset] of [
    ['is that of its version', {}, {}, versionWith({ is_deprecated: true }), '@0', june],
    ['is its own', { is_deprecated: true, sunset: '2027-06-30' }, {}, {}, '@0', june],
    ['is that of its path', {}, { is_deprecated: true, sunset: '2027-06-30' }, {}, '@0', june],
    ['begins with its date', { deprecated_at: '2026-11-30' }, {}, {}, '@1795996800', undefined],
    [
      'takes its own sunset before that of path and version',
      { sunset: '2027-07-31' },
      { sunset: '2027-05-01' },
      versionWith({ is_deprecated: true }),
      '@0',
      july,
    ],
    [
      'is not that of its path where it says so',
      { is_deprecated: false },
      { is_deprecated: true },
      {},
      undefined,
      undefined,
    ],
    [
      'is not that of its version where its path says so',
      {},
      { is_deprecated: false },
      versionWith({ is_deprecated: true }),
      undefined,
      undefined,
    ],
    [
      'is its own where its path says nothing is deprecated',
      { is_deprecated: true },
      { is_deprecated: false },
      versionWith({ deprecated_at: '2026-11-30' }),
      '@1795996800',
      june,
    ],
    [
      'gives way to a header of the path',
      { is_deprecated: true },
      { headers: { deprecation: '@7' } },
      {},
      '@7',
      undefined,
    ],
  ] as const) {
    it(it_, async () => {
      const { headers } = await serve(document(operation, path, version)).ask('GET /v1/x')
      expect([headers.deprecation, headers.sunset]).to.deep.equal([deprecation, sunset])
    })
  }

  it('is its own in OpenAPI', () => {
    const paths = {
      '/x': { get: { ...fixed(), is_deprecated: true }, put: fixed() },
      '/y': { is_deprecated: true, get: fixed() },
    }
    const told = describeDocument(documentOf(paths)).paths
    expect(told['/x'].get.deprecated).to.equal(true)
    expect(told['/x'].put).not.to.have.property('deprecated')
    expect(told['/y'].get.deprecated).to.equal(true)
  })

  it('has a date only where it is deprecated', () => {
    const issues = issuesOf(document({ is_deprecated: false, deprecated_at: '2026-11-30' }))
    expect(issues.map(({ path, message }) => [path.split('/').at(-1), message])).to.deep.equal([
      ['deprecated_at', 'is_deprecated is false: remove one of the two keys'],
    ])
    expect(issuesOf(document({}, { is_deprecated: 'yes' }))).to.have.length(1)
    expect(issuesOf(document({ deprecated_at: '2026-02-30' }))).to.have.length(1)
  })

  for (const [what, operation, warning] of [
    ['a sunset where nothing is deprecated', { sunset: '2027-06-30' }, 'nothing is deprecated'],
    [
      'a sunset before the deprecation',
      { deprecated_at: '2027-07-01', sunset: '2027-06-30' },
      'earlier than deprecated_at',
    ],
    ['a sunset that is no date', { is_deprecated: true, sunset: 'soon' }, 'is not a date'],
  ] as const) {
    it(`has a warning for ${what}`, () => {
      const { warnings } = compileDocument(document(operation), { callTimeout: 5000 })
      expect(warnings.map(({ message }) => message).join()).to.include(warning)
    })
  }
})
