/** Whom a security object lets pass by `roles` and `authids`, of the users whom its scheme lets pass. */
import { expect } from 'chai'
import { compileSpec } from '#component/compile/compile.ts'
import type { ServiceError } from '#component/errors.ts'
import { anonymous, type Identity } from '#component/identity.ts'
import { refusalIn } from '#component/login-refusal.ts'
import { admit, admitAgain } from '#component/security/admission.ts'
import { demandOf } from '#component/security/demand.ts'
import type { SecurityScheme } from '#component/security/scheme.ts'
import type { ApiSpec } from '#component/spec/model.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { documentOf, fixed, issuesOf } from '#test/unit/gateway/fake-exchange.ts'
import { protectedBy, realm_uri, requestWith } from './doubles.ts'

const ada: Identity = {
  ...{ realm_uri, authid: 'ada', username: 'ada', authmethod: 'basic', meta: {} },
  ...{ authroles: ['staff', 'caf\u00e9'], groups: ['staff', 'caf\u00e9', 'managers'] },
}

/** Whether an identity passes, as each way of asking has it. */
async function passes(object: object, identity: Identity = ada): Promise<boolean> {
  const protection = { ...protectedBy('basic', object), demand: demandOf(object) }
  const found = await Promise.all(
    [() => identity, async () => identity].flatMap((authenticate: SecurityScheme['authenticate']) =>
      [admit, admitAgain].map(async (ask) => {
        try {
          const passed = await ask({ basic: { authenticate } }, requestWith({}), protection)
          expect(passed).to.equal(identity)
          return true
        } catch (error) {
          const { uri, message, headers, cause } = error as ServiceError & { headers?: object }
          expect([uri, message, headers]).to.deep.equal([
            'wamp.error.not_authorized',
            'this user may not use this path',
            {},
          ])
          expect(refusalIn(error) ?? cause).to.deep.include({
            realm: realm_uri,
            authid: identity.authid,
          })
          return false
        }
      }),
    ),
  )
  expect(new Set(found).size).to.equal(1)
  return found[0] as boolean
}

describe('Users that a security object asks for', () => {
  for (const [object, isPassed] of [
    [{}, true],
    [{ roles: ['staff'] }, true],
    [{ roles: ['buyers', 'staff'] }, true],
    [{ roles: ['buyers'] }, false],
    [{ roles: ['Staff'] }, false],
    [{ roles: ['staff '] }, false],
    // a group that the request may not use
    [{ roles: ['managers'] }, false],
    [{ roles: ['ada'] }, false],
    [{ roles: ['all'] }, false],
    [{ roles: ['anonymous'] }, false],
    [{ roles: ['__proto__'] }, false],
    // names are compared as realms compare them
    [{ roles: ['cafe\u0301'] }, true],
    [{ authids: ['ada'] }, true],
    [{ authids: ['bob', 'ada'] }, true],
    [{ authids: ['bob'] }, false],
    [{ authids: ['staff'] }, false],
    [{ roles: ['staff'], authids: ['ada'] }, true],
    [{ roles: ['staff'], authids: ['bob'] }, false],
    [{ roles: ['buyers'], authids: ['ada'] }, false],
    // validation has reported these: nobody passes
    [{ roles: [] }, false],
    [{ roles: null }, false],
    [{ roles: 7 }, false],
    [{ roles: { staff: true } }, false],
    [{ authids: [] }, false],
    [{ authids: [7] }, false],
  ] as const) {
    it(`${isPassed ? 'are' : 'are not'} ada of staff: ${JSON.stringify(object)}`, async () => {
      expect(await passes(object)).to.equal(isPassed)
    })
  }

  it('are nobody in particular only where the role of nobody is asked for', async () => {
    expect(await passes({ roles: ['staff'] }, anonymous(realm_uri))).to.equal(false)
    expect(await passes({ roles: ['anonymous'] }, anonymous(realm_uri))).to.equal(true)
    expect(await passes({ authids: ['ada'] }, anonymous(realm_uri))).to.equal(false)
  })
})

describe('`roles` and `authids` of a security object', () => {
  const security = { type: 'basic', roles: ['staff'], authids: ['ada'] }
  const document = (paths: object, more: object = {}) =>
    compileSpec(validateSpec(documentOf(paths, more)).spec as ApiSpec, { callTimeout: 30_000 })

  for (const [place, paths, more] of [
    ['of a path', { '/x': { security, get: fixed() } }, {}],
    ['of the defaults', { '/x': { get: fixed() } }, { defaults: { security } }],
    ['of variables', { '/x': { get: fixed() } }, { variables: { security } }],
  ] as const) {
    it(`are a feature that a gateway must know: ${place}`, () => {
      expect([...(document(paths, more).api?.features ?? [])]).to.deep.equal(['security.roles'])
    })
  }

  it('have a neighbour, `scopes` of the type oauth2, which is a feature, and none of the type jwt', () => {
    const features = (security: object) => [
      ...(document({ '/x': { security, get: fixed() } }).api?.features ?? []),
    ]
    const scopes = ['a']
    expect(features({ type: 'oauth2', flow: 'client_credentials', scopes })).to.deep.equal([
      'oauth2.scopes',
    ])
    expect(features({ type: 'oauth2', flow: 'client_credentials' })).to.deep.equal([])
    expect(features({ type: 'jwt', issuer: 'corp', scopes })).to.deep.equal([])
  })

  it('are no feature of a document without them', () => {
    const { api } = document({ '/x': { security: { type: 'basic' }, get: fixed() } })
    expect([...(api?.features ?? [])]).to.deep.equal([])
  })

  for (const [key, value, at] of [
    ['roles', [], ''],
    ['roles', 'staff', ''],
    ['roles', null, ''],
    ['roles', {}, ''],
    ['roles', ['staff', 7], '/1'],
    ['roles', [''], '/0'],
    ['authids', [], ''],
    ['authids', 'ada', ''],
    ['authids', [['ada']], '/0'],
    ['authids', [''], '/0'],
  ] as const) {
    it(`are refused as ${key}: ${JSON.stringify(value)}`, () => {
      const found = issuesOf(
        documentOf({ '/x': { security: { type: 'basic', [key]: value }, get: fixed() } }),
      )
      expect(found.map(({ path }) => path)).to.deep.equal([
        `/versions/1.0/paths/~1x/security/${key}${at}`,
      ])
    })
  }

  it('may not depend on the request', () => {
    const found = issuesOf(
      documentOf({
        '/x': { security: { type: 'basic', roles: ['{{request.headers.x}}'] }, get: fixed() },
      }),
    )
    expect(found.map(({ path }) => path)).to.deep.equal(['/versions/1.0/paths/~1x/security'])
  })
})
