/** What the four roles of docs/crossbar.md may do with the options of their messages: its table, asserted on Crossbar.io. */
import { expect } from 'chai'
import type { JoinAuth } from '#component/wamp/join-auth.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { type Documented, page, password, startDocumented } from './crossbar-page.ts'
import { CrossbarPeer } from './crossbar-peer.ts'

const realm = 'com.example.realm'
const componentRealm = 'service.gateway'
const refused = 'wamp.error.not_authorized'
const topic = 'com.example.table.topic'
const forward_for = [{ session: 4711, authid: 'ops', authrole: 'spec_loader' }]

/** The columns of the page, and the options of each, as a client would set them to gain something. */
const columns: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
  'no option': [{}],
  '`forward_for`': [{ forward_for }],
  '`force_reregister`': [{ force_reregister: true }],
  '`disclose_me`': [{ disclose_me: false }, { disclose_me: true }],
  '`exclude_*`': [{ exclude: [4711] }, { exclude_authid: ['kim'] }, { exclude_authrole: ['user'] }],
  '`eligible_*`': [
    { eligible: [4711] },
    { eligible_authid: ['kim'] },
    { eligible_authrole: ['trusted'] },
  ],
  '`retain`': [{ retain: true }],
}

/** The cells of the page's table, by its rows. */
const rows = page
  .slice(page.indexOf('| role | realm | action |'))
  .split('\n\n')[0]
  ?.split('\n')
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
const [head = [], , ...table] = rows ?? []

/** Where a role may do it, if it may at all. */
const uriOf = (action: string, role: string, where: string): string => {
  if (where === componentRealm) return 'service.table'
  return role === 'gateway' && action === 'register'
    ? 'service.ticket.table'
    : 'com.example.table.a'
}

describe('the roles of docs/crossbar.md on Crossbar.io', () => {
  let set: Documented
  const peers: CrossbarPeer[] = []

  const join = async (role: string, where = realm) => {
    const kim: JoinAuth = { authmethod: 'wampcra', authid: 'kim', secret: password }
    const auth = { gateway: set.auth, user: kim, anonymous: { authmethod: 'anonymous' } as const }[
      role
    ]
    if (!auth) throw new TypeError(role)
    const peer = await CrossbarPeer.join(role === 'gateway' ? set.gatewayUrl : set.url, where, auth)
    peers.push(peer)
    return peer
  }

  before(async () => {
    set = await startDocumented()
    const { grants = [] } = set.document as Record<string, object[]>
    const permissions = ['call', 'publish', 'register', 'subscribe'].map((name) => `wamp.${name}`)
    const grant = { permissions, roles: 'all', uri: 'com.example.table.', match: 'prefix' }
    const force = {
      permissions: ['wamp.force_register'],
      roles: ['kim'],
      uri: 'com.example.table.b',
    }
    await set.realms.load({ ...set.document, grants: [...grants, grant, force] })
  })
  afterEach(() => {
    for (const peer of peers.splice(0)) peer.leave()
  })
  after(() => set?.stop())

  it('are four, and each has a row for each action', () => {
    expect(head.slice(3)).to.deep.equal(Object.keys(columns))
    const of = ([roles = '', where]: readonly string[]) =>
      roles.split(', ').map((role) => `${role} on ${where}`)
    const counts = Object.groupBy(table.flatMap(of), (name) => name)
    expect(Object.entries(counts).map(([name, found]) => [name, found?.length])).to.deep.equal([
      ['`gateway` on `service.gateway`', 4],
      ['`gateway` on `com.example.realm`', 4],
      ['`user` on `com.example.realm`', 4],
      ['`anonymous` on `com.example.realm`', 4],
    ])
  })

  for (const [roles = '', place = '', action = '', ...cells] of table) {
    for (const role of roles.replaceAll('`', '').split(', ')) {
      const where = place.replaceAll('`', '')
      it(`hold for ${role} on ${where}: ${action} ${cells.join(', ')}`, async () => {
        const peer = await join(role, where)
        const found: string[] = []
        for (const choices of Object.values(columns)) {
          const uri = uriOf(action, role, where)
          const verdicts = new Set<string>()
          for (const one of choices) verdicts.add(await peer.may(action, uri, one))
          found.push([...verdicts].join(', '))
        }
        // the router lets it through, and then finds no callee
        const spelt = { 'wamp.error.no_such_procedure': 'yes', [refused]: 'no' }
        expect(found.map((verdict) => ({ ...spelt })[verdict] ?? verdict)).to.deep.equal(cells)
      })
    }
  }

  it('let a user take a procedure by force_reregister where a grant gives wamp.force_register', async () => {
    const [user, anonymous] = [await join('user'), await join('anonymous')]
    expect((await anonymous.ask(64, {}, 'com.example.table.b'))[0]).to.equal(65)
    const force = { force_reregister: true }
    expect(await anonymous.may('register', 'com.example.table.b', force)).to.equal(refused)
    expect(await user.may('register', 'com.example.table.b', force)).to.equal('yes')
  })

  describe('for an event of anonymous', () => {
    /** Which of the two subscribers get it, and whom they see as its publisher. */
    const received = async (options: (kim: CrossbarPeer) => object) => {
      const [publisher, kim, other] = [
        await join('anonymous'),
        await join('user'),
        await join('anonymous'),
      ]
      for (const peer of [kim, other]) await peer.ask(32, {}, topic)
      for (const [arg, more] of [
        ['it', options(kim)],
        ['end', {}],
      ] as const) {
        await publisher.ask(16, { acknowledge: true, ...more }, topic, [arg])
      }
      const isEnd = (event: readonly unknown[]) => (event[4] as unknown[])[0] === 'end'
      await untilHolds(() => [kim, other].every(({ events }) => events.some(isEnd)))
      return [kim, other].map(({ events: [event = []] }) =>
        isEnd(event) ? '' : String((event[3] as Record<string, unknown>).publisher_authid),
      )
    }

    const both = ['anonymous', 'anonymous']
    const [first, second] = [
      ['anonymous', ''],
      ['', 'anonymous'],
    ]
    for (const [what, options, expected] of [
      ['tell subscribers the publisher', () => ({}), both],
      ['tell it also where disclose_me is false', () => ({ disclose_me: false }), both],
      ['leave out exclude', (kim: CrossbarPeer) => ({ exclude: [kim.id] }), second],
      ['leave out exclude_authid', () => ({ exclude_authid: ['kim'] }), second],
      ['leave out exclude_authrole', () => ({ exclude_authrole: ['user'] }), second],
      ['narrow by eligible', (kim: CrossbarPeer) => ({ eligible: [kim.id] }), first],
      ['narrow by eligible_authid', () => ({ eligible_authid: ['kim'] }), first],
      ['narrow by eligible_authrole', () => ({ eligible_authrole: ['anonymous'] }), second],
    ] as const) {
      it(what, async () => {
        expect(await received(options)).to.deep.equal(expected)
      })
    }

    it('keep one with retain for those who subscribe later, under the name of its publisher', async () => {
      const [publisher, kim] = [await join('anonymous'), await join('user')]
      await publisher.ask(
        16,
        { acknowledge: true, retain: true, disclose_me: false },
        `${topic}.kept`,
        [],
      )
      await kim.ask(32, { get_retained: true }, `${topic}.kept`)
      await untilHolds(() => kim.events.length > 0)
      expect(kim.events[0]?.[3]).to.include({ retained: true, publisher_authid: 'anonymous' })
    })
  })

  it("believe the gateway's own sessions whom they name by forward_for", async () => {
    const [gateway, callee, subscriber] = [
      await join('gateway'),
      await join('user'),
      await join('user'),
    ]
    await callee.ask(64, {}, 'com.example.table.c')
    await subscriber.ask(32, {}, topic)
    const seen = await gateway.call('com.example.table.c', { forward_for })
    expect(seen).to.include({ caller_authid: 'ops', caller_authrole: 'spec_loader' })
    await gateway.ask(16, { acknowledge: true, forward_for }, topic, [])
    await untilHolds(() => subscriber.events.length > 0)
    expect(subscriber.events[0]?.[3]).to.include({ publisher_authid: 'ops' })
  })
})
