/** Limits on guessing: whose failures count for whom, and what those who guess in parallel learn. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { Attempts } from '#component/security/attempts.ts'

const realm = 'com.example.realm'
const limits = { perUser: 3, perAddress: 5 }

/** The outcome of an attempt: what it came to, or the error it was refused with. */
const outcome = <T>(attempt: Promise<T>): Promise<T | unknown> =>
  attempt.catch((error: unknown) => error)

const isRefused = (value: unknown): boolean =>
  value instanceof ServiceError && value.uri === 'service.error.too_many_requests'

describe('limits on guessing', () => {
  const guesser = (attempts: Attempts, username = 'ada', address = '192.0.2.1', uri = realm) => {
    const guess = (isRight = false) =>
      outcome(attempts.guard(uri, username, address, async () => (isRight ? 'in' : undefined)))
    return {
      guess,
      fail: async (times: number) => Promise.all(Array.from({ length: times }, () => guess())),
    }
  }

  it('refuse whoever has failed too often, the right password too, and say when to come back', async () => {
    const { guess } = guesser(new Attempts(limits))
    for (let i = 0; i < limits.perUser; i += 1) expect(await guess()).to.equal(undefined)
    for (const isRight of [true, false]) {
      const error = await guess(isRight)
      if (!(error instanceof ServiceError)) throw new Error('expected a refusal')
      expect(error.status).to.equal(429)
      expect(Number(error.headers['retry-after'])).to.be.within(1, 60)
    }
  })

  it('count failures only', async () => {
    const { guess } = guesser(new Attempts(limits))
    for (let i = 0; i < 20; i += 1) expect(await guess(true)).to.equal('in')
  })

  it('do not try what is refused', async () => {
    const attempts = new Attempts(limits)
    await guesser(attempts).fail(limits.perUser)
    let isTried = false
    await outcome(
      attempts.guard(realm, 'ada', '192.0.2.1', async () => {
        isTried = true
      }),
    )
    expect(isTried).to.equal(false)
  })

  it('leave other users alone, and the user of that name in another realm', async () => {
    const attempts = new Attempts(limits)
    await guesser(attempts).fail(limits.perUser)
    expect(await guesser(attempts, 'bob').guess(true)).to.equal('in')
    expect(await guesser(attempts, 'ada', '192.0.2.1', 'com.other').guess(true)).to.equal('in')
  })

  it('hold for a user from every address', async () => {
    const attempts = new Attempts(limits)
    await guesser(attempts).fail(limits.perUser)
    expect(await guesser(attempts, 'ada', '198.51.100.1').guess(true)).to.satisfy(isRefused)
  })

  it('hold for an address whatever user it tries', async () => {
    const attempts = new Attempts(limits)
    for (const name of ['a', 'b', 'c', 'd', 'e']) await guesser(attempts, name).guess()
    expect(await guesser(attempts, 'f').guess(true)).to.satisfy(isRefused)
    expect(await guesser(attempts, 'f', '198.51.100.1').guess(true)).to.equal('in')
  })

  for (const [one, other, isOne] of [
    ['2001:db8::1', '2001:db8:0:0:ffff::2', true],
    ['2001:DB8:0:0::1', '2001:db8::2%eth0', true],
    ['::1', '0:0:0:0:1::', true],
    ['2001:db8::1', '2001:db8:0:1::1', false],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:3:3:4:5:6', false],
  ] as const) {
    it(`take ${one} and ${other} for ${isOne ? 'one network' : 'two networks'}`, async () => {
      const attempts = new Attempts(limits)
      for (const name of ['a', 'b', 'c', 'd', 'e']) await guesser(attempts, name, one).guess()
      expect(isRefused(await guesser(attempts, 'f', other).guess(true))).to.equal(isOne)
    })
  }

  it('tell of parallel guesses no more than of as many one after the other', async () => {
    const attempts = new Attempts(limits)
    const { guess, fail } = guesser(attempts)
    const wrong = fail(20)
    const right = guess(true)
    const told = await wrong
    expect(told.filter((value) => value === undefined)).to.have.length(limits.perUser)
    expect(told.filter(isRefused)).to.have.length(20 - limits.perUser)
    expect(await right).to.satisfy(isRefused)
  })
})
