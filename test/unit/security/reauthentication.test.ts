/** Requests that are served for long: when they are judged again, and what each judgement does. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { type Identity, identityOf } from '#component/identity.ts'
import { forEachType, type SecurityType } from '#component/security/kinds.ts'
import { Reauthentication } from '#component/security/reauthentication.ts'
import type { SecurityScheme } from '#component/security/scheme.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'
import { protectedBy, realm_uri, requestWith, userNamed } from './doubles.ts'

const refusal = new ServiceError('service.error.unauthorized', 'revoked')

/** The identity of a token of a user. */
const tokenOf = (name: string, more: { roles?: readonly string[]; expires_at?: number } = {}) => {
  const { roles = ['staff'], expires_at } = more
  const user = userNamed(name)
  const login = { realm_uri, user, authroles: roles, authmethod: 'password', session: `of ${name}` }
  return identityOf(expires_at === undefined ? login : { ...login, expires_at })
}

describe('a request that is served for long', () => {
  let clock: ManualClock
  let answer: (name: string) => Identity | Promise<Identity>
  let asked: string[]
  let refused: [name: string, error: unknown][]
  let pauses: number
  let rounds: Reauthentication

  beforeEach(() => {
    clock = new ManualClock()
    asked = []
    refused = []
    pauses = 0
    const known = new Map<string, Identity>()
    answer = (name) => {
      const identity = known.get(name) ?? tokenOf(name)
      known.set(name, identity)
      return identity
    }
    const judge: SecurityScheme['authenticate'] = (request) => {
      const name = String(request.header('name'))
      asked.push(name)
      return answer(name)
    }
    const scheme: SecurityScheme = {
      authenticate: () => expect.fail('would count a failure'),
      authenticateAgain: judge,
    }
    const schemes = { ...forEachType(() => scheme), oauth2: { authenticate: judge } }
    const yieldTurn = () => {
      pauses += 1
      return undefined
    }
    rounds = new Reauthentication({ schemes, clock, yieldTurn })
  })

  const protections = forEachType((type) => protectedBy(type))

  const follow = (name: string, identity = answer(name), type: SecurityType = 'oauth2') =>
    rounds.follow(requestWith({ name }), protections[type], identity as Identity, (error) =>
      refused.push([name, error]),
    )

  /** A request that has been judged for the first time. */
  async function followed(name: string, identity?: Identity, type?: SecurityType) {
    const stop = follow(name, identity, type)
    await clock.advance(1_500)
    asked.length = 0
    return stop
  }

  it('is judged soon after it has begun: something may have been revoked meanwhile', async () => {
    follow('ada')
    await clock.advance(1_000)
    expect(asked).to.deep.equal(['ada'])
    expect(refused).to.deep.equal([])
  })

  for (const type of ['api_key', 'oauth2', 'oidc', 'mtls'] as const) {
    it(`is judged each minute under ${type}`, async () => {
      await followed('ada', undefined, type)
      await clock.advance(59_000)
      expect(asked).to.deep.equal([])
      await clock.advance(1_000)
      expect(asked).to.deep.equal(['ada'])
      await clock.advance(60_000)
      expect(asked).to.deep.equal(['ada', 'ada'])
    })
  }

  it('is judged under basic only when something changes', async () => {
    await followed('ada', undefined, 'basic')
    await clock.advance(600_000)
    expect(asked).to.deep.equal([])
    rounds.recheck()
    await settled()
    expect(asked).to.deep.equal(['ada'])
  })

  it('ends within a second after its credentials expire', async () => {
    const expires_at = clock.now() + 30_500
    const identity = tokenOf('ada', { expires_at })
    answer = () => {
      if (clock.now() < expires_at) return identity
      throw refusal
    }
    await followed('ada', identity)
    await clock.advance(28_500)
    expect(refused).to.deep.equal([])
    await clock.advance(1_000)
    expect(refused).to.deep.equal([['ada', refusal]])
    expect(clock.now() - expires_at).to.be.at.most(1_000)
  })

  it('ends at once when what it came with is revoked, and only then', async () => {
    await followed('ada')
    await followed('joe')
    const held = answer
    answer = (name) => {
      if (name === 'joe') return held(name)
      throw refusal
    }
    rounds.recheck(({ authid }) => authid === 'joe')
    await settled()
    expect(refused).to.deep.equal([])
    await clock.advance(500)
    rounds.recheck(({ authid }) => authid === 'ada')
    await settled()
    expect(asked).to.deep.equal(['joe', 'ada'])
    expect(refused).to.deep.equal([['ada', refusal]])
    await clock.advance(120_000)
    expect(refused).to.have.length(1)
  })

  for (const [what, isKept, now] of [
    ['has other roles', false, { roles: ['guests'] }],
    ['is built anew', true, {}],
    ['expires later', true, { expires_at: 9_000_000 }],
  ] as const) {
    it(`${isKept ? 'goes on' : 'ends'} when the identity ${what}`, async () => {
      await followed('ada')
      answer = () => tokenOf('ada', now)
      rounds.recheck()
      await settled()
      expect(refused.map(([name]) => name)).to.deep.equal(isKept ? [] : ['ada'])
    })
  }

  it('goes on while nothing can be found out, and is judged again five seconds later', async () => {
    await followed('ada')
    answer = () => Promise.reject(new ServiceError('service.error.unavailable', 'later'))
    rounds.recheck()
    await settled()
    expect(refused).to.deep.equal([])
    answer = () => Promise.reject(refusal)
    await clock.advance(4_000)
    expect(refused).to.deep.equal([])
    await clock.advance(1_500)
    expect(refused).to.deep.equal([['ada', refusal]])
  })

  it('is judged once with the others of its identity', async () => {
    const identity = tokenOf('ada')
    answer = () => identity
    for (let count = 0; count < 20; count += 1) follow('ada')
    await clock.advance(1_500)
    expect(asked).to.deep.equal(['ada'])
    answer = () => {
      throw refusal
    }
    rounds.recheck()
    await settled()
    expect(asked).to.deep.equal(['ada', 'ada'])
    expect(refused).to.have.length(20)
  })

  it('lets other work run between two judgements', async () => {
    for (let count = 0; count < 100; count += 1) await follow(`user ${count}`)
    await clock.advance(1_000)
    expect(asked).to.have.length(100)
    expect(pauses).to.equal(100)
  })

  it('is judged at most twice a second, however often something is revoked', async () => {
    await followed('ada')
    for (let count = 0; count < 50; count += 1) {
      rounds.recheck()
      await clock.advance(10)
    }
    expect(asked).to.have.length(2)
    await clock.advance(2_000)
    expect(asked).to.have.length(2)
  })

  it('is judged by what holds now, although another judgement is under way', async () => {
    await followed('ada')
    let pass: (identity: Identity) => void = () => undefined
    const identity = tokenOf('ada')
    answer = () =>
      new Promise((resolve) => {
        pass = resolve
      })
    rounds.recheck()
    await settled()
    answer = () => {
      throw refusal
    }
    rounds.recheck()
    pass(identity)
    await clock.advance(1_000)
    expect(refused).to.deep.equal([['ada', refusal]])
  })

  it('leaves nothing behind when it is over', async () => {
    const stops = [await followed('ada'), await followed('joe')]
    for (const stop of stops) stop()
    answer = () => {
      throw refusal
    }
    rounds.recheck()
    await clock.advance(120_000)
    expect(asked).to.deep.equal([])
    expect(refused).to.deep.equal([])
    expect(clock.pending).to.equal(0)
  })
})
