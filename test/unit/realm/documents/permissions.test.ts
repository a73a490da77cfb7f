/** The permissions of grants: a name of WAMP that does not exist is refused, and a near miss of any other one is told. */

import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { realmSchema, validateRealm } from '#component/realm/documents/realm-rules.ts'
import { Report } from '#component/spec/report.ts'

const realmWith = (permissions: unknown) => ({
  uri: 'com.example.realm',
  grants: [{ permissions, roles: 'all', uri: '', match: 'prefix' }],
})

const reportOf = (permissions: unknown): Report => {
  const report = new Report([], 'hidden')
  validateRealm(realmWith(permissions), '', report)
  return report
}

const path = '/grants/0/permissions'
const noSuch = 'WAMP has no such permission'
const notAsked = 'the gateway does not ask for this permission'
const isOfSchema = new Ajv2020({ strict: false }).compile(realmSchema)

describe('the permissions of a grant', () => {
  for (const name of [
    'wamp.call',
    'wamp.force_register',
    'service.issue',
    'com.example.print',
    '',
  ]) {
    it(`may be ${JSON.stringify(name)}`, () => {
      const { issues, warnings } = reportOf(name)
      expect([...issues, ...warnings]).to.deep.equal([])
      expect(isOfSchema(realmWith(name))).to.equal(true)
    })
  }

  for (const [name, hint] of [
    ['wamp.cal', '; did you mean wamp.call?'],
    ['wamp.subscirbe', '; did you mean wamp.subscribe?'],
    ['wamp.', ': expected wamp.call, wamp.cancel, '],
    ['wamp.everything', ': expected wamp.call, wamp.cancel, '],
  ] as const) {
    it(`are refused as ${name}`, () => {
      const { issues } = reportOf(['wamp.publish', name])
      expect(issues.map((issue) => issue.path)).to.deep.equal([`${path}/1`])
      expect(issues[0]?.message.startsWith(noSuch + hint), issues[0]?.message).to.equal(true)
      expect(isOfSchema(realmWith(['wamp.publish', name]))).to.equal(false)
    })
  }

  for (const [name, meant] of [
    ['call', 'wamp.call'],
    ['service.isue', 'service.issue'],
  ] as const) {
    it(`are warned of as ${name}`, () => {
      const { issues, warnings } = reportOf(name)
      expect(issues).to.deep.equal([])
      expect(warnings).to.deep.equal([{ path, message: `${notAsked}; did you mean ${meant}?` }])
    })
  }

  it('beside a key that a grant does not have, are told with the key that is meant', () => {
    const report = new Report([], 'hidden')
    const grant = { permission: 'wamp.call', permissions: [], role: 'x', roles: [], uri: 'a' }
    validateRealm({ uri: 'com.example', grants: [grant] }, '', report)
    expect(report.warnings).to.deep.equal([
      {
        path: '/grants/0/permission',
        message: 'the key "permission" is unknown and is ignored; did you mean permissions?',
      },
      {
        path: '/grants/0/role',
        message: 'the key "role" is unknown and is ignored; did you mean roles?',
      },
    ])
  })
})
