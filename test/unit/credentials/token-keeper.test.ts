/** One token for all requests: when it is fetched, renewed and given up. */
import { expect } from 'chai'
import type { SentToken } from '#component/credentials/sent-token.ts'
import { TokenKeeper } from '#component/credentials/token-keeper.ts'
import { ServiceError } from '#component/errors.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const second = 1_000

/** A keeper, and a server that gives numbered tokens, or does as told. */
function keeping(lifeSeconds = 600) {
  const clock = new ManualClock()
  const server = {
    life: lifeSeconds * second,
    isAway: false,
    /** Present: answers come when they are let go. */
    hold: undefined as undefined | PromiseWithResolvers<void>,
    /** When each token was asked for, and in place of which. */
    asked: [] as (readonly [at: number, former: string | undefined])[],
  }
  const start = clock.now()
  const fetch = async (former: SentToken | undefined): Promise<SentToken> => {
    server.asked.push([clock.now() - start, former?.text])
    const { length } = server.asked
    const from = clock.now()
    await server.hold?.promise
    if (server.isAway) throw new Error('away')
    return { text: `token-${length}`, from, until: from + server.life }
  }
  return { clock, server, keeper: new TokenKeeper({ clock, fetch }) }
}

/** What a request gets: a token, or the code of the error and when to come again. */
async function got(keeper: TokenKeeper): Promise<unknown> {
  try {
    return await keeper.get()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [error.uri, error.headers['Retry-After']]
  }
}

const none = (seconds: number) => ['service.error.no_upstream_token', String(seconds)]

describe('the token of an upstream', () => {
  it('is fetched when the first request asks, once for all that wait, and then given at once', async () => {
    const { clock, server, keeper } = keeping()
    expect([server.asked.length, clock.pending, keeper.token]).to.deep.equal([0, 0, undefined])
    const all = await Promise.all(Array.from({ length: 1000 }, () => got(keeper)))
    expect([new Set(all), server.asked.length]).to.deep.equal([new Set(['token-1']), 1])
    expect(keeper.get()).to.equal('token-1')
    expect(keeper.token?.until).to.equal(clock.now() + 600 * second)
  })

  const lives: readonly (readonly [life: number, renewedAt: number, sentUntil: number])[] = [
    [3600, 2880, 3590],
    [600, 480, 590],
    [300, 240, 290],
    [200, 140, 190],
    [121, 61, 111],
    [120, 60, 110],
    [119, 59.5, 109],
    [60, 30, 50],
    [20, 10, 15],
    [4, 2, 3],
  ]
  for (const [life, renewedAt, sentUntil] of lives) {
    it(`that lives for ${life} s is renewed after ${renewedAt} s while requests come, and sent for ${sentUntil} s at most`, async () => {
      const { clock, server, keeper } = keeping(life)
      await got(keeper)
      await got(keeper)
      server.isAway = true
      await clock.advance(renewedAt * second - 1)
      expect(server.asked.length, 'before').to.equal(1)
      await clock.advance(1)
      expect(server.asked[1], 'in the background').to.deep.equal([renewedAt * second, 'token-1'])
      await clock.advance((sentUntil - renewedAt) * second - 1)
      expect(keeper.get(), 'until the margin').to.equal('token-1')
      await clock.advance(1)
      expect(await got(keeper), 'at the margin').to.not.equal('token-1')
    })
  }

  it('is replaced while requests go on with the former one', async () => {
    const { clock, server, keeper } = keeping()
    await got(keeper)
    await got(keeper)
    server.hold = Promise.withResolvers()
    await clock.advance(480 * second)
    expect(keeper.get()).to.equal('token-1')
    server.hold.resolve()
    await settled()
    expect(keeper.get()).to.equal('token-2')
  })

  it('is not renewed for nobody, and in the background by the next request', async () => {
    const { clock, server, keeper } = keeping()
    await got(keeper)
    await clock.advance(500 * second)
    expect([server.asked.length, clock.pending]).to.deep.equal([1, 0])
    expect(keeper.get()).to.equal('token-1')
    await settled()
    expect([server.asked.length, keeper.get()]).to.deep.equal([2, 'token-2'])
    await clock.advance(3600 * second)
    expect(await got(keeper)).to.equal('token-4')
  })

  it('that cannot be renewed is tried again after 1, 2, 4, 8, 16 s, then each 30 s, and sent until 10 s before its end', async () => {
    const { clock, server, keeper } = keeping()
    await got(keeper)
    server.isAway = true
    const seen = new Map<unknown, number>()
    for (let at = 0; at < 900; at += 1) {
      const given = JSON.stringify(await got(keeper)).replace(/"\d+"/, '…')
      seen.set(given, (seen.get(given) ?? 0) + 1)
      await clock.advance(second)
    }
    const tries = server.asked.slice(1).map(([at]) => at / second)
    expect(tries.slice(0, 9)).to.deep.equal([480, 481, 483, 487, 495, 511, 541, 571, 601])
    expect([...seen]).to.deep.equal([
      ['"token-1"', 590],
      ['["service.error.no_upstream_token",…]', 310],
    ])
    server.isAway = false
    await clock.advance(30 * second)
    expect(keeper.get(), 'once the server is back').to.match(/^token-/)
  })

  it('that there is none of is refused at once between two tries, with the time of the next one', async () => {
    const { clock, server, keeper } = keeping()
    server.isAway = true
    expect(await got(keeper)).to.deep.equal(none(1))
    expect(() => keeper.get()).to.throw(ServiceError, 'has not now')
    await clock.advance(second)
    expect([server.asked.length, await got(keeper)]).to.deep.equal([2, none(2)])
    await clock.advance(500)
    expect(await got(keeper)).to.deep.equal(none(2))
    server.isAway = false
    await clock.advance(1_500)
    expect(keeper.get()).to.equal('token-3')
  })

  it('that has ended when it comes is a failure', async () => {
    for (const life of [0, -5]) {
      const { keeper } = keeping(life)
      expect(await got(keeper)).to.deep.equal(none(1))
    }
  })

  it('is not sent once more after the machine has slept over its end', async () => {
    const { clock, server, keeper } = keeping(120)
    await got(keeper)
    await got(keeper)
    server.hold = Promise.withResolvers()
    await clock.advance(3600 * second)
    const waiting = got(keeper)
    server.hold.resolve()
    expect(await waiting).to.not.equal('token-1')
  })

  it('that the upstream refuses is replaced, at most once in 10 s', async () => {
    const { clock, server, keeper } = keeping()
    await got(keeper)
    expect(keeper.refuse('token-1')).to.equal(true)
    expect([await got(keeper), server.asked[1]?.[1]]).to.deep.equal(['token-2', 'token-1'])
    expect(keeper.refuse('token-1'), 'a request that was sent before').to.equal(true)
    expect([await got(keeper), server.asked.length]).to.deep.equal(['token-2', 2])
    await clock.advance(9_999)
    expect([keeper.refuse('token-2'), await got(keeper)]).to.deep.equal([false, 'token-2'])
    await clock.advance(1)
    expect([keeper.refuse('token-2'), await got(keeper)]).to.deep.equal([true, 'token-3'])
  })

  it('is fetched no more once it is closed, and leaves no timer', async () => {
    const { clock, server, keeper } = keeping()
    await got(keeper)
    await got(keeper)
    keeper.close()
    expect(clock.pending).to.equal(0)
    await clock.advance(500 * second)
    expect([keeper.get(), server.asked.length, clock.pending]).to.deep.equal(['token-1', 1, 0])
  })
})
