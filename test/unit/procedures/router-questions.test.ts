/** `service.authenticate` and `service.authorize`: who may ask, and in which form the answers are given. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import type { InvocationHandler } from '#component/wamp/session.ts'
import { registerAuthenticator, registerAuthorizer } from '#procedures/router-questions.ts'

const allowed = { allow: true, disclose: true, cache: false } as const
const principal = { authid: 'kim', role: 'user', extra: { authroles: [] } } as const

/** The endpoints, and what they asked. */
async function register() {
  const endpoints = new Map<string, { handler: InvocationHandler; options: unknown }>()
  const asked: unknown[][] = []
  const session = {
    realm_uri: 'com.example.realm',
    async register(uri: string, handler: InvocationHandler, options?: unknown) {
      endpoints.set(uri, { handler, options })
    },
  }
  await registerAuthenticator(session, {
    async authenticate(...args) {
      asked.push(args)
      return principal
    },
  })
  await registerAuthorizer(session, {
    authorize(...args) {
      asked.push(args)
      return allowed
    },
  })
  const call = async (uri: string, args: readonly unknown[], details: object) =>
    endpoints.get(uri)?.handler({ args, kwargs: {} }, { details: { ...details }, uri })
  return { endpoints, asked, call }
}

const router = { caller: 1, caller_authid: 'the router', caller_authrole: 'trusted' }

describe('the questions of a router', () => {
  it('are shared by the nodes', async () => {
    const { endpoints } = await register()
    expect([...endpoints.keys()]).to.deep.equal(['service.authenticate', 'service.authorize'])
    for (const { options } of endpoints.values()) {
      expect(options).to.deep.equal({ invoke: 'roundrobin' })
    }
  })

  it('are answered with one argument', async () => {
    const { call, asked } = await register()
    const details = { authmethod: 'ticket' }
    const login = await call('service.authenticate', ['com.a', 'kim', details], router)
    expect(login).to.deep.equal({ args: [principal], kwargs: {} })
    const session = { authid: 'kim' }
    const action = await call('service.authorize', [session, 'com.p', 'call', {}], router)
    expect(action).to.deep.equal({ args: [allowed], kwargs: {} })
    expect(asked).to.deep.equal([
      ['com.a', 'kim', details],
      ['com.example.realm', session, 'com.p', 'call', {}],
    ])
  })

  it('do no harm when their arguments are none', async () => {
    const { call, asked } = await register()
    await call('service.authenticate', [], router)
    await call('service.authorize', [null, 1, [], 'x'], router)
    expect(asked).to.deep.equal([
      ['undefined', undefined, {}],
      ['com.example.realm', {}, '1', '', {}],
    ])
  })

  for (const [who, details] of [
    ['a gateway', { ...router, caller_authrole: 'gateway' }],
    ['who is not disclosed', {}],
    ['who has the name only', { caller_authid: 'trusted' }],
  ] as const) {
    for (const uri of ['service.authenticate', 'service.authorize']) {
      it(`are not ${who}'s to ask: ${uri}`, async () => {
        const { call, asked } = await register()
        const failure = await call(uri, [], details).catch((error: unknown) => error)
        expect(failure)
          .to.be.instanceOf(ServiceError)
          .with.property('uri', 'wamp.error.not_authorized')
        expect(asked).to.deep.equal([])
      })
    }
  }
})
