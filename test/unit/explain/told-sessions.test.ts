/** Whom an explanation names for a call: the user of its session, or the user in whose name the gateway sends it. */
import { expect } from 'chai'
import { schemesOf } from '#component/explain/stand-ins.ts'
import { anonymous, type Identity } from '#component/identity.ts'
import type { IdentitySetting } from '#component/wamp/session.ts'
import { rehearse } from './rehearse.ts'

const realm_uri = 'com.example'
const authroles = ['staff', 'buyers']
const ada: Identity = { ...anonymous(realm_uri), authid: 'ada', authmethod: 'basic', authroles }
const none = undefined
const forwarded_for = { authid: 'ada', authroles }

const documentOf = (procedure: string) => ({
  ...{ id: 'com.example.orders', host: '_', realm_uri },
  versions: {
    one: {
      base_path: '/v1',
      paths: {
        '/orders': {
          security: { type: 'basic' },
          get: { action: { type: 'wamp_call', procedure }, response: {} },
        },
      },
    },
  },
})

describe('a call that is explained', () => {
  const order = 'com.example.order.get'
  const elsewhere = { ...ada, realm_uri: 'com.example.other' }

  for (const [what, identity, setting, procedure, session_of, named] of [
    ['runs in the session of its user', ada, 'session', order, 'ada', none],
    ["runs in the gateway's own with service", ada, 'service', order, null, none],
    [
      'is sent in the name of its user with forwarded',
      ada,
      'forwarded',
      order,
      null,
      forwarded_for,
    ],
    ['of a reserved procedure is not', ada, 'forwarded', 'service.ticket.issue', 'ada', none],
    ['of a user of another realm is not', elsewhere, 'forwarded', order, 'ada', none],
    ['of nobody is not', anonymous(realm_uri), 'forwarded', order, null, none],
  ] as const satisfies (readonly [
    string,
    Identity,
    IdentitySetting,
    string,
    string | null,
    object | undefined,
  ])[]) {
    it(what, async () => {
      const asked = { request: { path: '/v1/orders' }, schemes: schemesOf(() => identity) }
      const { actions } = await rehearse(documentOf(procedure), asked, { identity: setting })
      const [told] = actions
      expect(told).to.include({ type: 'wamp_call', procedure, session_of })
      expect(told?.forwarded_for).to.deep.equal(named)
    })
  }
})
