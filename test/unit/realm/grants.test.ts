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
    ['', 'prefix', 'com', 'prefix', true],
    ['', 'prefix', 'com..', 'wildcard', true],
    ...(['exact', 'prefix', 'wildcard', undefined] as const).flatMap(
      (anyMatch) =>
        [
          ['*', anyMatch, 'com.a', 'exact', true],
          ['*', anyMatch, 'com.', 'prefix', true],
          ['*', anyMatch, 'com..c', 'wildcard', true],
          ['*', anyMatch, 'wamp.session.on_join', 'exact', false],
          ['*', anyMatch, '', 'prefix', false],
        ] as const,
    ),
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

  it('take "*" in resources for every URI, too', async () => {
    const resources = [{ uri: 'com.a', match: 'exact' }, { uri: '*' }]
    const grant = { roles: 'all', permissions: ['wamp.call'], resources }
    const policy = await policyOf({ uri: 'r', grants: [grant] })
    expect(policy.isAllowed(member('a'), 'call', 'org.b')).to.equal(true)
  })

  const permissions = ['wamp.call', 'wamp.subscribe']
  const openTo = (...resources: readonly (readonly [uri: string, match: string])[]) => ({
    grants: resources.map(([uri, match]) => ({ roles: 'all', permissions, uri, match })),
  })
  for (const [what, document, action, uri, match, isAllowed] of [
    ['no grants', {}, 'call', 'wamp.session.kill_all', 'exact', false],
    ['no grants', {}, 'call', 'service.ticket.issue', 'exact', false],
    ['no grants', {}, 'subscribe', 'wamp.session.on_join', 'exact', false],
    ['no grants', {}, 'subscribe', '', 'prefix', false],
    ['no grants', {}, 'subscribe', 'w', 'prefix', false],
    ['no grants', {}, 'subscribe', '..', 'wildcard', false],
    ['no grants', {}, 'subscribe', 'com.', 'prefix', true],
    ['no grants', {}, 'subscribe', 'wampum.', 'prefix', true],
    ['no security', { security_enabled: false }, 'call', 'wamp.session.list', 'exact', false],
    [
      'no security, but a grant that names it',
      { security_enabled: false, ...openTo(['wamp.session.count', 'exact']) },
      ...(['call', 'wamp.session.count', 'exact', true] as const),
    ],
    ['a grant on ""', openTo(['', 'prefix']), 'call', 'wamp.session.list', 'exact', false],
    ['a grant on "*"', openTo(['*', 'exact']), 'call', 'service.ticket.issue', 'exact', false],
    ['a grant on "wamp"', openTo(['wamp', 'prefix']), 'call', 'wamp.session.list', 'exact', false],
    ['a grant on "..list"', openTo(['..list', 'wildcard']), 'call', 'wamp.x.list', 'exact', false],
    ['a grant on "wamp."', openTo(['wamp.', 'prefix']), 'call', 'wamp.session.list', 'exact', true],
    [
      'a grant on it',
      openTo(['wamp.session.list', 'exact']),
      'call',
      'wamp.session.list',
      'exact',
      true,
    ],
    [
      'a grant on it',
      openTo(['wamp.session.list', 'exact']),
      'call',
      'wamp.session.kill',
      'exact',
      false,
    ],
    ['a grant on ""', openTo(['', 'prefix']), 'subscribe', '', 'prefix', false],
    [
      'grants on "" and "wamp."',
      openTo(['', 'prefix'], ['wamp.', 'prefix']),
      'subscribe',
      '',
      'prefix',
      false,
    ],
    [
      'grants on "" and "wamp."',
      openTo(['', 'prefix'], ['wamp.', 'prefix']),
      'subscribe',
      'wamp',
      'prefix',
      true,
    ],
    [
      'grants on "", "wamp." and "service."',
      openTo(['', 'prefix'], ['wamp.', 'prefix'], ['service.', 'prefix']),
      ...(['subscribe', '', 'prefix', true] as const),
    ],
  ] as const) {
    it(`${isAllowed ? 'let' : 'do not let'} a user ${action} ${match} "${uri}" by ${what}`, async () => {
      const policy = await policyOf({ uri: 'r', ...document })
      expect(policy.isAllowed(member('a', 'x'), action, uri, match)).to.equal(isAllowed)
    })
  }

  for (const forward_for of [[{ session: 1, authid: 'b', authrole: 'g' }], [], null]) {
    it(`never let a session name another caller: forward_for ${JSON.stringify(forward_for)}`, async () => {
      const policy = await policyOf({ uri: 'r', security_enabled: false })
      for (const action of ['call', 'publish', 'register', 'subscribe']) {
        const may = (roles: string[], options: object) =>
          policy.isAllowed(member('a', ...roles), action as RouterAction, 'com.x', 'exact', {
            ...options,
          })
        expect(may(['x'], {}), action).to.equal(true)
        expect(may(['x'], { forward_for }), action).to.equal(false)
        expect(may(['gateway'], { forward_for }), action).to.equal(true)
      }
    })
  }

  for (const [what, document, isAllowed] of [
    ['a realm without grants', {}, false],
    ['security_enabled: false', { security_enabled: false }, false],
    ['wamp.register', { grants: ['wamp.register'] }, false],
    ['wamp.force_register alone', { grants: ['wamp.force_register'] }, false],
    ['both permissions', { grants: ['wamp.register', 'wamp.force_register'] }, true],
  ] as const) {
    it(`${isAllowed ? 'let' : 'do not let'} force_reregister take a procedure by ${what}`, async () => {
      const grants =
        'grants' in document
          ? {
              grants: [
                { roles: 'all', permissions: document.grants, uri: 'com.', match: 'prefix' },
              ],
            }
          : {}
      const policy = await policyOf({ uri: 'r', ...document, ...grants })
      const options = { force_reregister: true }
      const may = policy.isAllowed(member('a'), 'register', 'com.x', 'exact', options)
      expect(may).to.equal(isAllowed)
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
