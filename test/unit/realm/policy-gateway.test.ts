/** What the gateway itself may on the router, and who may on its own realm. */
import { expect } from 'chai'
import { policyOf } from './doubles.ts'
import { anonymous, inProcess, join, loopback, outside } from './joining.ts'

describe('the gateway on the realms of users', () => {
  const gateway = { authmethod: 'anonymous', authid: 'gateway' } as const
  const document = { uri: 'r', users: [{ username: 'gateway', password: 'pw' }], grants: [] }

  it('is taken from within this process only, and may do everything and sees who calls', async () => {
    const policy = await policyOf({ ...document, authmethods: ['wampcra'] })
    expect(policy.authmethods('r', inProcess)).to.include('anonymous')
    expect(policy.authmethods('r', loopback)).to.deep.equal(['wampcra'])
    const welcome = await join(policy, 'r', gateway, inProcess)
    if (typeof welcome === 'string') throw new Error(welcome)
    expect(welcome.authroles).to.deep.equal(['gateway'])
    const session = { realm: 'r', ...welcome }
    expect(policy.isAllowed(session, 'register', 'service.ticket.issue')).to.equal(true)
    expect(policy.isWelcome({ ...session, authmethod: 'anonymous' })).to.equal(true)
    expect(policy.seesCallers?.(session)).to.equal(true)
    for (const [auth, peer] of [
      [gateway, loopback],
      [anonymous, inProcess],
    ] as const) {
      expect(await join(policy, 'r', auth, peer)).to.equal('wamp.error.authentication_failed')
    }
  })

  it('is nobody else: not a user of that name, nor who is anonymous', async () => {
    const policy = await policyOf({ ...document, authmethods: ['wampcra', 'anonymous'] })
    for (const [auth, peer] of [
      [{ authmethod: 'wampcra', authid: 'gateway', secret: 'pw' }, inProcess],
      [gateway, loopback],
      [anonymous, inProcess],
    ] as const) {
      const welcome = await join(policy, 'r', auth, peer)
      if (typeof welcome === 'string') throw new Error(welcome)
      expect(welcome.authroles).to.not.include('gateway')
      expect(policy.seesCallers?.({ realm: 'r', ...welcome })).to.equal(false)
    }
  })

  it('does not join realms that take no sessions', async () => {
    const policy = await policyOf({ ...document, allow_connections: false })
    expect(await join(policy, 'r', gateway, inProcess)).to.equal('wamp.error.no_such_realm')
  })
})

describe("the component's realm", () => {
  const component = 'service.gateway'
  const gateway = { authmethod: 'anonymous', authid: 'gateway' } as const

  it('takes the gateway from within this process, and nobody else, as the gateway', async () => {
    const policy = await policyOf([])
    expect(await join(policy, component, gateway, inProcess)).to.deep.include({
      authroles: ['gateway'],
    })
    expect(await join(policy, component, gateway, loopback)).to.deep.include({
      authroles: ['anonymous'],
    })
    expect(await join(policy, component, anonymous, inProcess)).to.deep.include({
      authroles: ['anonymous'],
    })
    expect(await join(policy, component, gateway, outside)).to.equal('wamp.error.not_authorized')
  })

  it('takes no strangers while a listener is not bound to loopback', async () => {
    const policy = await policyOf([], false)
    expect(await join(policy, component, anonymous, loopback)).to.equal('wamp.error.not_authorized')
    expect(await join(policy, component, anonymous, inProcess)).to.equal(
      'wamp.error.not_authorized',
    )
    expect(await join(policy, component, gateway, inProcess)).to.deep.include({
      authroles: ['gateway'],
    })
  })

  it('takes users with credentials from anywhere when it is declared', async () => {
    const policy = await policyOf(
      {
        uri: component,
        users: [{ username: 'ada', password: 'pw', groups: ['gateway', 'ops'] }],
        grants: [
          {
            roles: ['ops'],
            permissions: ['wamp.call', 'wamp.register'],
            uri: 'service.',
            match: 'prefix',
          },
        ],
      },
      false,
    )
    const ada = await join(policy, component, { authmethod: 'ticket', authid: 'ada', secret: 'pw' })
    expect(ada).to.deep.equal({ kind: 'welcome', authid: 'ada', authroles: ['ops'] })
    const session = { realm: component, authid: 'ada', authroles: ['ops'] }
    expect(policy.isAllowed(session, 'call', 'service.load_api_spec')).to.equal(true)
    expect(policy.isAllowed(session, 'subscribe', 'service.api_spec.on_load')).to.equal(false)
    expect(policy.isAllowed(session, 'register', 'service.load_api_spec')).to.equal(false)
    expect(await join(policy, component, anonymous)).to.equal('wamp.error.not_authorized')
  })

  it('is managed by no user who is in the group anonymous, or has that name', async () => {
    const policy = await policyOf({
      uri: component,
      users: [
        { username: 'ada', password: 'pw', groups: ['anonymous'] },
        { username: 'anonymous', password: 'pw' },
      ],
      grants: [],
    })
    for (const authid of ['ada', 'anonymous']) {
      const session = { realm: component, authid, authroles: ['anonymous'] }
      expect(policy.isAllowed(session, 'call', 'service.load_realm'), authid).to.equal(false)
    }
  })

  for (const [action, uri, match, isAllowed] of [
    ['call', 'service.load_api_spec', 'exact', true],
    ['subscribe', 'service.api_spec.on_load', 'exact', true],
    ['subscribe', 'service.', 'prefix', true],
    ['subscribe', '', 'prefix', false],
    ['call', 'com.example.add', 'exact', false],
    ['register', 'service.load_api_spec', 'exact', false],
    ['register', 'com.example.add', 'exact', false],
    ['publish', 'service.api_spec.on_load', 'exact', false],
    ['publish', 'com.example.topic', 'exact', false],
  ] as const) {
    it(`${isAllowed ? 'lets' : 'does not let'} a stranger ${action} ${match} "${uri}"`, async () => {
      const policy = await policyOf([])
      const stranger = { realm: component, authid: 'anonymous', authroles: ['anonymous'] }
      expect(policy.isAllowed(stranger, action, uri, match)).to.equal(isAllowed)
      const itself = { realm: component, authid: 'gateway', authroles: ['gateway'] }
      expect(policy.isAllowed(itself, action, uri, match)).to.equal(true)
    })
  }
})
