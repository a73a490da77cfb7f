/** On which realms the gateway needs a session for everybody. */
import { expect } from 'chai'
import { OwnRealms } from '#component/compile/own-realms.ts'
import { documentOf, fixed, serve } from '#test/unit/gateway/fake-exchange.ts'

const security = { type: 'basic' }
const call = { ...fixed(), action: { type: 'wamp_call', procedure: 'com.example.x' } }
const publish = { ...fixed(), action: { type: 'wamp_publish', topic: 'com.example.x' } }

describe("the realms of the gateway's own sessions", () => {
  for (const [what, paths, identity, isThere] of [
    ['open call', { '/x': { get: call } }, 'session', true],
    [
      'call in a list',
      { '/x': { get: { ...call, action: [call.action, fixed().action] } } },
      'session',
      true,
    ],
    ['open publication', { '/x': { post: publish } }, 'session', true],
    ['call for users', { '/x': { security, get: call } }, 'session', false],
    [
      'call for users beside an open one',
      { '/x': { security, get: call, put: { ...call, security: {} } } },
      'session',
      true,
    ],
    [
      'call for users over the session of the gateway',
      { '/x': { security, get: call } },
      'service',
      true,
    ],
    ['constant', { '/x': { get: fixed() } }, 'service', false],
  ] as const) {
    it(`${isThere ? 'have' : 'do not have'} that of a document with a ${what}`, () => {
      const { api } = serve(documentOf(paths))
      const realms = new OwnRealms(identity)
      realms.follow({ added: [api.entries], removed: [] })
      expect([...realms.realms]).to.deep.equal(isThere ? [api.realm_uri] : [])
      expect([...realms.realmsOf([api.entries])]).to.deep.equal([...realms.realms])
    })
  }

  for (const [what, paths, isThere] of [
    ['call for users', { '/x': { security, get: call } }, true],
    ['publication for users', { '/x': { security, post: publish } }, true],
    ['open call', { '/x': { get: call } }, false],
    ['constant for users', { '/x': { security, get: fixed() } }, false],
  ] as const) {
    it(`${isThere ? 'forward' : 'do not forward'} for a document with a ${what}, and with forwarded alone`, () => {
      const { api } = serve(documentOf(paths))
      const forwarding = (identity: string) => [
        ...new OwnRealms(identity).forwardingOf([api.entries]),
      ]
      expect(forwarding('forwarded')).to.deep.equal(isThere ? [api.realm_uri] : [])
      expect(forwarding('session')).to.deep.equal([])
    })
  }

  it('are not there for the endpoints of OAuth2 alone', () => {
    const oauth2 = { type: 'oauth2', flow: 'resource_owner_password_credentials' }
    const { api } = serve(documentOf({}, { defaults: { security: oauth2 } }))
    expect(api.entries).to.not.have.length(0)
    expect([...new OwnRealms('service').realmsOf([api.entries])]).to.deep.equal([])
  })

  it('are there as long as one of several documents needs them', () => {
    const apis = ['/x', '/y'].map(
      (path) => serve(documentOf({ [path]: { get: call } })).api.entries,
    )
    const realms = new OwnRealms('session')
    realms.follow({ added: apis, removed: [] })
    realms.follow({ added: [], removed: apis.slice(1) })
    expect([...realms.realms]).to.have.length(1)
    realms.follow({ added: [], removed: apis.slice(0, 1) })
    expect([...realms.realms]).to.deep.equal([])
  })
})
