/** Who may ask for an operation, as the console shows it. */
import { expect } from 'chai'
import { protectionText, securityOf } from '#http/console/page/lib/protection.js'

describe('the protection of a route in the console', () => {
  const rows: readonly (readonly [security: unknown, text: string])[] = [
    [undefined, ''],
    [{}, ''],
    [null, ''],
    [{ type: 'basic' }, 'basic'],
    [{ type: 'basic', roles: ['staff', 'admins'] }, 'basic: staff, admins'],
    [{ type: 'jwt', issuer: 'corp', authids: ['ada'] }, 'jwt: ada'],
    ['{{variables.who}}', '{{variables.who}}'],
    [{ any: [{ type: 'api_key', name: 'machine' }, { type: 'oidc' }] }, 'machine | oidc'],
    [{ any: [{ type: 'oidc' }], optional: true }, 'oidc | anonymous'],
    [
      { any: [{ all: [{ type: 'jwt' }, { type: 'mtls' }] }, { type: 'basic', roles: ['ops'] }] },
      'jwt + mtls | basic: ops',
    ],
    [{ all: [{ type: 'jwt', roles: ['staff'] }, { type: 'mtls' }] }, 'jwt: staff + mtls'],
  ]
  for (const [security, text] of rows) {
    it(`is ${JSON.stringify(text)} for ${JSON.stringify(security)}`, () => {
      expect(protectionText(security)).to.equal(text)
    })
  }

  const security = (name: string) => ({ type: name })
  const spec = {
    variables: { security: security('of the variables') },
    defaults: { security: security('of the document') },
    versions: {
      '1': {
        defaults: { security: security('of the version') },
        paths: {
          '/a': { security: security('of the path'), get: {}, post: { security: security('own') } },
          '/b': { defaults: { security: security('of the defaults of the path') } },
        },
      },
      '2': { paths: {} },
    },
  }
  const holding = (version: string, path: string, operation: object, of: object = spec) =>
    securityOf(of, { version, path, operation })

  it('is that of the operation, else of the path, else of the defaults around, else of the variables', () => {
    const { variables } = spec
    expect([
      holding('1', '/a', { security: security('own') }),
      holding('1', '/a', {}),
      holding('1', '/b', { defaults: { security: security('of its defaults') } }),
      holding('1', '/b', {}),
      holding('1', '/c', {}),
      holding('2', '/c', {}),
      holding('2', '/c', {}, { variables, versions: {} }),
      holding('2', '/c', {}, {}),
    ]).to.deep.equal([
      ...['own', 'of the path', 'of its defaults', 'of the defaults of the path'].map(security),
      ...['of the version', 'of the document', 'of the variables'].map(security),
      undefined,
    ])
  })

  it('is nobody where an operation takes the security of the path away', () => {
    expect(protectionText(holding('1', '/a', { security: {} }))).to.equal('')
  })
})
