/** The ticket procedures on the realms of users: who asks there, and for what. */
import { expect } from 'chai'
import { type InvocationHandler, WampError } from '#component/wamp/session.ts'
import { registerTickets } from '#procedures/index.ts'
import { managementOf } from './doubles.ts'

const realm_uri = 'com.example.test'
const denied = 'wamp.error.not_authorized'

const realm = {
  uri: realm_uri,
  users: [
    { username: 'bob', password: 'one', groups: ['staff', 'guests'] },
    { username: 'amy', password: 'one', groups: ['guests'] },
  ],
  grants: [{ permissions: ['service.issue'], uri: '', match: 'prefix', roles: ['staff'] }],
}

/** The procedures on the realm; asked with what the router says of the caller. */
async function opened() {
  const { management, realms } = await managementOf()
  await realms.load([realm, { ...realm, uri: 'com.example.other' }])
  const handlers = new Map<string, InvocationHandler>()
  const register = async (uri: string, handler: InvocationHandler) => {
    handlers.set(uri, handler)
  }
  await registerTickets({ realm_uri, register }, management, { error: () => undefined })
  const ask = async (uri: string, args: unknown[], details: Readonly<Record<string, unknown>>) => {
    try {
      const found = await handlers.get(uri)?.({ args, kwargs: {} }, { details, uri })
      return found?.args[0] as { readonly ticket: string; readonly id: string }
    } catch (cause) {
      if (cause instanceof WampError) return cause.error_uri
      throw cause
    }
  }
  const issue = async () => {
    const found = await ask('service.ticket.issue', [60], { caller_authid: 'bob' })
    if (typeof found === 'string') throw new Error(found)
    return found
  }
  return { handlers, ask, issue, management }
}

describe('the ticket procedures on a realm of users', () => {
  it('are these two', async () => {
    const { handlers } = await opened()
    expect([...handlers.keys()]).to.deep.equal(['service.ticket.issue', 'service.ticket.revoke'])
  })

  it('issue tickets of that realm to who calls, with the roles of its session', async () => {
    const { ask, issue } = await opened()
    expect(await issue()).to.deep.include({
      authrealm: realm_uri,
      authid: 'bob',
      authroles: ['staff', 'guests'],
    })
    const narrow = { caller_authid: 'bob', _caller_authroles: ['staff'] }
    const found = await ask('service.ticket.issue', [60], narrow)
    expect(found).to.deep.include({ authroles: ['staff'] })
  })

  for (const [whom, details] of [
    ['somebody without the grant', { caller_authid: 'amy' }],
    [
      'a session whose roles have no grant',
      { caller_authid: 'bob', _caller_authroles: ['guests'] },
    ],
    ['who is not disclosed', { caller: 7 }],
    ['who is no user', { caller_authid: 'anonymous', caller_authrole: 'anonymous' }],
  ] as const) {
    it(`issue none to ${whom}`, async () => {
      const { ask } = await opened()
      expect(await ask('service.ticket.issue', [60], details)).to.equal(denied)
    })
  }

  it('let operators of the realm end its tickets, and by their id nobody', async () => {
    const { ask, issue, management } = await opened()
    const { ticket, id } = await issue()
    const operator = { caller_authid: 'amy', caller_authrole: 'spec_loader' }
    expect(await ask('service.ticket.revoke', [id], operator)).to.equal(denied)
    expect(await ask('service.ticket.revoke', [ticket], { caller_authid: 'amy' })).to.equal(denied)
    const { ticket: foreign } = await management.tickets.issue('com.example.other', {
      ...{ iss: 'i', authid: 'bob', authmethod: 'ticket', authroles: [], lifetime: 60 },
      scope: { realm: 'x', client_id: 'all', device_id: 'all' },
    })
    expect(await ask('service.ticket.revoke', [foreign], operator)).to.equal(
      'wamp.error.invalid_argument',
    )
    expect(await ask('service.ticket.revoke', [ticket], operator)).to.deep.equal({ id })
  })
})
