/** Limits on guessing: whose failures count for whom, and how much is tried at once. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import { Attempts } from '#component/security/attempts.ts'
import { Budget } from '#component/security/budget.ts'

const realm = 'com.example.realm'
const limits = { user_failures: 3, address_failures: 5 }
const [home, elsewhere] = ['192.0.2.1', '198.51.100.1']

/** The outcome of an attempt: what it came to, or the error it was refused with. */
const outcome = <T>(attempt: Promise<T>): Promise<T | unknown> =>
  attempt.catch((error: unknown) => error)

const isRefused = (value: unknown): boolean =>
  value instanceof ServiceError && value.uri === 'service.error.too_many_requests'

/** Somebody who tries passwords, one after the other unless told otherwise. */
const guesser = (attempts: Attempts, username = 'ada', address = home, uri = realm) => {
  const guess = (isRight = false) =>
    outcome(attempts.guard(uri, username, address, async () => (isRight ? 'in' : undefined)))
  return {
    guess,
    async fail(times: number) {
      for (let i = 0; i < times; i += 1) expect(await guess()).to.equal(undefined)
    },
  }
}

/** Fails so often as one user, from networks where nobody fails twice. */
async function failEverywhere(attempts: Attempts, times: number, username = 'ada') {
  for (let i = 0; i < times; i += 1) await guesser(attempts, username, `10.0.${i}.1`).fail(1)
}

describe('the failures that are kept', () => {
  const most = 3
  const failed = async (budget: Budget, key: string) => {
    const leave = await budget.enter(key)
    leave(true)
  }

  it('are those of so many keys: who was tried least recently is forgotten, and who is tried is not', async () => {
    const budget = new Budget(3, () => undefined, most)
    await failed(budget, 'quiet')
    await failed(budget, 'quiet')
    await failed(budget, 'guessed')
    for (let index = 0; index < 2; index += 1) {
      for (let other = 0; other < most - 1; other += 1) await failed(budget, `${index} ${other}`)
      await failed(budget, 'guessed')
    }
    expect(isRefused(await outcome(budget.enter('guessed')))).to.equal(true)
    for (let index = 0; index < 3; index += 1) await failed(budget, 'quiet')
    expect(isRefused(await outcome(budget.enter('quiet')))).to.equal(true)
  })
})

describe('limits on guessing', () => {
  let attempts: Attempts
  beforeEach(() => {
    attempts = new Attempts(limits)
  })

  it('refuse whoever has failed too often, the right password too, and say when to come back', async () => {
    const { guess, fail } = guesser(attempts)
    await fail(limits.user_failures)
    for (const isRight of [true, false]) {
      const error = await guess(isRight)
      if (!(error instanceof ServiceError)) throw new Error('expected a refusal')
      expect(error.status).to.equal(429)
      expect(Number(error.headers['retry-after'])).to.be.within(1, 60)
    }
  })

  it('are told of what they refuse: of a user, and of a network', async () => {
    const usage = new LimitUsage()
    const refused = () => usage.all.map(({ key, bound, refused }) => [key, bound, refused])
    attempts = new Attempts(limits, usage)
    const { guess, fail } = guesser(attempts)
    await fail(limits.user_failures)
    await guess()
    const { user_failures, address_failures } = limits
    for (let i = user_failures; i < address_failures; i += 1) {
      await guesser(attempts, `user${i}`).fail(1)
    }
    await guesser(attempts, 'joe').guess()
    expect(refused()).to.deep.equal([
      ['rate_limits.user_failures', user_failures, 1],
      ['rate_limits.address_failures', address_failures, 1],
    ])
  })

  it('count failures only', async () => {
    const { guess } = guesser(attempts)
    for (let i = 0; i < 20; i += 1) expect(await guess(true)).to.equal('in')
  })

  it('take what could not be tried for no failure', async () => {
    const broken = new Error('the store is away')
    for (let i = 0; i < 20; i += 1) {
      const attempt = attempts.guard(realm, 'ada', home, () => Promise.reject(broken))
      expect(await outcome(attempt)).to.equal(broken)
    }
    expect(await guesser(attempts).guess(true)).to.equal('in')
  })

  it('do not try what is refused', async () => {
    await guesser(attempts).fail(limits.user_failures)
    let isTried = false
    await outcome(
      attempts.guard(realm, 'ada', home, async () => {
        isTried = true
      }),
    )
    expect(isTried).to.equal(false)
  })

  it('leave other users alone, and the user of that name in another realm', async () => {
    await guesser(attempts).fail(limits.user_failures)
    expect(await guesser(attempts, 'bob').guess(true)).to.equal('in')
    expect(await guesser(attempts, 'ada', home, 'com.other').guess(true)).to.equal('in')
  })

  it('leave the user alone in other networks, so that strangers cannot keep anybody out', async () => {
    await guesser(attempts).fail(limits.user_failures)
    expect(await guesser(attempts, 'ada', elsewhere).guess(true)).to.equal('in')
  })

  it('hold for a user from everywhere, when guesses come from very many networks', async () => {
    const most = 10 * limits.user_failures
    await failEverywhere(attempts, most - 1)
    expect(await guesser(attempts, 'ada', elsewhere).guess(true)).to.equal('in')
    await guesser(attempts, 'ada', '10.1.0.1').fail(1)
    expect(await guesser(attempts, 'ada', '10.2.0.1').guess(true)).to.satisfy(isRefused)
    expect(await guesser(attempts, 'ada', elsewhere).guess(true), 'known there').to.equal('in')
    expect(await guesser(attempts, 'bob', '10.2.0.1').guess(true), 'another').to.equal('in')
    expect(await guesser(attempts, 'bob', elsewhere).guess(true)).to.equal('in')
  })

  it('hold for a user where it is known, too', async () => {
    const { guess, fail } = guesser(attempts)
    expect(await guess(true)).to.equal('in')
    await fail(limits.user_failures)
    expect(await guess(true)).to.satisfy(isRefused)
  })

  it('hold for an address whatever user it tries', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await guesser(attempts, name).fail(1)
    expect(await guesser(attempts, 'f').guess(true)).to.satisfy(isRefused)
    expect(await guesser(attempts, 'f', elsewhere).guess(true)).to.equal('in')
  })

  for (const [one, other, isOne] of [
    ['2001:db8::1', '2001:db8:0:0:ffff::2', true],
    ['2001:DB8:0:0::1', '2001:db8::2%eth0', true],
    ['::1', '0:0:0:0:1::', true],
    ['::ffff:192.0.2.1', '192.0.2.1', true],
    ['::ffff:192.0.2.1', '::FFFF:192.0.2.2', false],
    ['2001:db8::1', '2001:db8:0:1::1', false],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:3:3:4:5:6', false],
  ] as const) {
    it(`take ${one} and ${other} for ${isOne ? 'one network' : 'two networks'}`, async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e']) await guesser(attempts, name, one).fail(1)
      expect(isRefused(await guesser(attempts, 'f', other).guess(true))).to.equal(isOne)
    })
  }
})

describe('limits on guessing in parallel', () => {
  let attempts: Attempts
  /** Ends the proofs that run: does it prove something? */
  let running: ((isRight: boolean) => void)[]
  let tried: number
  beforeEach(() => {
    attempts = new Attempts(limits)
    running = []
    tried = 0
  })

  /** An attempt that runs until it is told how it ends. */
  const begin = (username = 'ada', address = home) => {
    const proof = () => {
      tried += 1
      const { promise, resolve } = Promise.withResolvers<'in' | undefined>()
      running.push((isRight) => resolve(isRight ? 'in' : undefined))
      return promise
    }
    return outcome(attempts.guard(realm, username, address, proof))
  }

  /** All that can happen without the end of a proof has happened. */
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  /** Ends the proofs that run, and those that run then, until none does. */
  async function endAll(isRight: (index: number) => boolean): Promise<void> {
    await settled()
    for (let index = 0; running.length > 0; index += 1) {
      running.shift()?.(isRight(index))
      await settled()
    }
  }

  it('try no more than may fail, and refuse the others when these have failed', async () => {
    const all = Array.from({ length: 1000 }, () => begin())
    await settled()
    expect(tried).to.equal(limits.user_failures)
    await endAll(() => false)
    const told = await Promise.all(all)
    expect(tried).to.equal(limits.user_failures)
    expect(told.filter((value) => value === undefined)).to.have.length(limits.user_failures)
    expect(told.filter(isRefused)).to.have.length(1000 - limits.user_failures)
  })

  it('try no more for an address, whatever users it tries', async () => {
    const all = Array.from({ length: 100 }, (_, index) => begin(`user ${index}`))
    await endAll(() => false)
    expect(tried).to.equal(limits.address_failures)
    expect((await Promise.all(all)).filter(isRefused)).to.have.length(95)
  })

  it('try no more for a user, wherever the guesses come from', async () => {
    const all = Array.from({ length: 100 }, (_, index) => begin('ada', `10.0.${index}.1`))
    await endAll(() => false)
    expect(tried).to.equal(10 * limits.user_failures)
    expect((await Promise.all(all)).filter(isRefused)).to.have.length(100 - tried)
  })

  it('let everybody in who knows the password, in their turn', async () => {
    const all = Array.from({ length: 200 }, () => begin())
    await settled()
    expect(running).to.have.length(limits.user_failures)
    await endAll(() => true)
    expect(await Promise.all(all)).to.deep.equal(Array(200).fill('in'))
  })

  it('let those in who know it while others fail, as long as the others may', async () => {
    const all = Array.from({ length: 50 }, () => begin())
    await endAll((index) => index !== 4 && index !== 11)
    const told = await Promise.all(all)
    expect(told.filter((value) => value === 'in')).to.have.length(48)
    expect(told.filter((value) => value === undefined)).to.have.length(2)
  })

  it('let others go on who share the network with one who waits', async () => {
    const all = Array.from({ length: 50 }, () => begin())
    const bob = begin('bob')
    await settled()
    expect(running).to.have.length(limits.user_failures + 1)
    await endAll(() => true)
    expect(await bob).to.equal('in')
    await Promise.all(all)
  })

  it('go on when a proof could not be tried', async () => {
    const away = new Error('the store is away')
    const fail = () => outcome(attempts.guard(realm, 'ada', home, () => Promise.reject(away)))
    expect(new Set(await Promise.all(Array.from({ length: 20 }, fail)))).to.deep.equal(
      new Set([away]),
    )
    const last = begin()
    await endAll(() => true)
    expect(await last).to.equal('in')
  })
})
