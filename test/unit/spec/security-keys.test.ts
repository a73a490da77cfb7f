/** A misspelt key of a security object is refused: its author believes that it protects the path. */
import { expect } from 'chai'
import { demandKeys } from '#component/security/demand.ts'
import { securityKinds } from '#component/security/kinds.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { documentOf, fixed, issuesOf } from '#test/unit/gateway/fake-exchange.ts'
import { withValue } from './document.ts'

const at = '/versions/1/paths/~1x/security'

/** The values that each type needs. */
const needed: Readonly<Record<string, object>> = {
  oauth2: { flow: 'client_credentials' },
  webhook: { sender: 'hub' },
  forward_auth: { url: 'https://auth.example.com' },
  jwt: { issuer: 'corp' },
  mtls: { authid: 'cn' },
}

/** How a hand misspells a key. */
const slips: readonly (readonly [slip: string, of: (key: string) => string])[] = [
  ['without its last letter', (key) => key.slice(0, -1)],
  ['with a letter twice', (key) => key[0] + key],
  ['with two letters swapped', (key) => key.slice(0, -2) + key.at(-1) + key.at(-2)],
  ['in capitals', (key) => key.toUpperCase()],
  ['in camel case', (key) => key.replace(/_(.)/g, (_, letter) => letter.toUpperCase())],
  ['with hyphens', (key) => key.replaceAll('_', '-')],
]

describe('An unknown key of a security object', () => {
  for (const { type, keys } of securityKinds) {
    const known = [
      'schemes',
      'allow_from',
      'description',
      ...Object.keys(demandKeys),
      ...Object.keys(keys),
    ]
    for (const key of known) {
      for (const [slip, of] of slips) {
        const wrong = of(key)
        if (known.includes(wrong)) continue
        it(`is refused, and the right one is named: ${type}, ${key} ${slip}`, () => {
          const object = { type, ...needed[type], [wrong]: ['x'] }
          const { issues } = validateSpec(withValue(at, object))
          expect(issues.map(({ path }) => path)).to.deep.equal([`${at}/${wrong}`])
          expect(issues[0]?.message).to.match(/^the key ".+" is unknown: expected one of type, /)
          expect(issues[0]?.message).to.match(/; did you mean \w+\?$/)
          expect(issues[0]?.message).to.include(`did you mean ${key}?`)
        })
      }
    }
    it(`is refused with where it belongs: ${type}`, () => {
      const object = { type, ...needed[type], groups: ['staff'], comment: 'for people' }
      const { issues } = validateSpec(withValue(at, object))
      expect(issues.map(({ path }) => path)).to.deep.equal([`${at}/groups`])
      expect(issues[0]?.message).to.include('write "roles"')
    })
  }

  const security = { type: 'basic', role: ['staff'] }
  const path = { '/x': { get: fixed() } }
  for (const [place, document, at] of [
    [
      'of a path',
      documentOf({ '/x': { security, get: fixed() } }),
      '/versions/1.0/paths/~1x/security/role',
    ],
    ['of the defaults', documentOf(path, { defaults: { security } }), '/defaults/security/role'],
    ['of variables', documentOf(path, { variables: { security } }), '/variables/security'],
    [
      'that a path has from variables',
      documentOf(
        { '/x': { security: '{{variables.s}}', get: fixed() } },
        { variables: { s: security } },
      ),
      '/versions/1.0/paths/~1x/security',
    ],
    [
      'whose type is computed',
      documentOf(
        { '/x': { security: { ...security, type: '{{variables.t}}' }, get: fixed() } },
        { variables: { t: 'basic' } },
      ),
      '/versions/1.0/paths/~1x/security/role',
    ],
  ] as const) {
    it(`is refused ${place}`, () => {
      const issues = issuesOf(document)
      expect(issues.map((issue) => issue.path)).to.deep.equal([at])
      expect(issues[0]?.message).to.include('did you mean roles?')
    })
  }
})
