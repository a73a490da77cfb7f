/** What the grants of a realm allow, and what they cannot give. */
import { expect } from 'chai'
import type { RouterAction } from '#component/router/ports.ts'
import { policyOf, securityConfig } from './doubles.ts'

describe('grants', () => {
  const every: RouterAction[] = [
    'call',
    'cancel',
    'publish',
    'register',
    'subscribe',
    'unregister',
    'unsubscribe',
  ]
  const member = (authid: string, ...authroles: string[]) => ({ realm: 'r', authid, authroles })

  for (const [what, document, isAllowed] of [
    ['a realm that says nothing of security', {}, true],
    ['security_enabled: false', { security_enabled: false, grants: [] }, true],
    ['security_enabled without grants', { security_enabled: true }, false],
    ['grants that are empty', { grants: [] }, false],
    [
      'a grant to all',
      {
        grants: [
          {
            roles: 'all',
            permissions: every.map((one) => `wamp.${one}`),
            uri: '',
            match: 'prefix',
          },
        ],
      },
      true,
    ],
    [
      'a grant to anonymous',
      {
        grants: [
          {
            roles: ['anonymous'],
            permissions: every.map((one) => `wamp.${one}`),
            resources: [{ uri: 'com.x', match: 'exact' }],
          },
        ],
      },
      true,
    ],
    [
      'a grant to others',
      {
        grants: [
          {
            roles: ['users'],
            permissions: every.map((one) => `wamp.${one}`),
            uri: '',
            match: 'prefix',
          },
        ],
      },
      false,
    ],
  ] as const) {
    it(`${isAllowed ? 'allow' : 'refuse'} everything to anonymous by ${what}`, async () => {
      const policy = await policyOf({ uri: 'r', ...document })
      for (const action of every) {
        expect(
          policy.isAllowed(member('anonymous', 'anonymous'), action, 'com.x'),
          action,
        ).to.equal(isAllowed)
      }
    })
  }

  for (const uri of ['service.load_api_spec', 'wamp.session.on_join']) {
    it(`never let anybody but the gateway register or publish ${uri}, in any realm`, async () => {
      const policy = await policyOf({ uri: 'r', security_enabled: false })
      for (const [action, match, pattern] of [
        ['register', 'exact', uri],
        ['publish', 'exact', uri],
        ['register', 'prefix', uri.slice(0, 3)],
        ['register', 'prefix', ''],
        ['register', 'wildcard', `.${uri.split('.')[1]}`],
        ['register', 'wildcard', `${uri.split('.')[0]}.`],
      ] as const) {
        expect(policy.isAllowed(member('a', 'x'), action, pattern, match), pattern).to.equal(false)
      }
      expect(policy.isAllowed(member('a', 'x'), 'call', uri)).to.equal(true)
      expect(policy.isAllowed(member('a', 'x'), 'register', 'services.own', 'prefix')).to.equal(
        true,
      )
    })
  }

  for (const [granted, grantMatch, uri, match, isAllowed] of [
    ['com.a', 'exact', 'com.a', 'exact', true],
    ['com.a', undefined, 'com.a', 'exact', true],
    ['com.a', undefined, 'com.a.b', 'exact', false],
    ['com.a', 'exact', 'com.a', 'prefix', false],
    ['com.a', 'prefix', 'com.ab', 'exact', true],
    ['com.a.', 'prefix', 'com.a', 'exact', false],
    ['com.a.', 'prefix', 'com.a.b', 'prefix', true],
    ['com.a.', 'prefix', 'com.', 'prefix', false],
    ['com.a.', 'prefix', 'com.a..c', 'wildcard', true],
    ['com.a.', 'prefix', 'com..c', 'wildcard', false],
    ['com..c', 'wildcard', 'com.b.c', 'exact', true],
    ['com..c', 'wildcard', 'com.b.d', 'exact', false],
    ['com..c', 'wildcard', 'com..c', 'wildcard', true],
    ['com.b.c', 'wildcard', 'com..c', 'wildcard', false],
    ['com..c', 'wildcard', 'com.', 'prefix', false],
    ['', 'prefix', '..', 'wildcard', true],
  ] as const) {
    it(`on ${grantMatch ?? 'no match'} "${granted}" ${isAllowed ? 'cover' : 'do not cover'} ${match} "${uri}"`, async () => {
      const policy = await policyOf({
        uri: 'r',
        grants: [
          {
            roles: ['g'],
            permissions: ['wamp.subscribe'],
            uri: granted,
            ...(grantMatch && { match: grantMatch }),
          },
        ],
      })
      expect(policy.isAllowed(member('a', 'g'), 'subscribe', uri, match)).to.equal(isAllowed)
      expect(policy.isAllowed(member('a', 'h'), 'subscribe', uri, match)).to.equal(false)
      expect(policy.isAllowed(member('a', 'g'), 'call', uri, match)).to.equal(false)
    })
  }

  it('name users as well as groups', async () => {
    const policy = await policyOf(securityConfig)
    const peer = { realm: 'com.example.test', authid: 'peer1', authroles: ['microservices'] }
    expect(policy.isAllowed(peer, 'publish', 'com.example.topic')).to.equal(true)
    expect(policy.isAllowed({ ...peer, authid: 'x' }, 'publish', 'com.example.topic')).to.equal(
      false,
    )
    expect(policy.isAllowed(peer, 'call', 'wamp.session.count')).to.equal(true)
  })
})
