/** Tokens that were given for those of users: for whom they are kept, how long, and what becomes of refusals. */
import { expect } from 'chai'
import { ExchangedTokens } from '#component/credentials/exchanged-tokens.ts'
import type { SentToken } from '#component/credentials/sent-token.ts'
import { ServiceError } from '#component/errors.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const second = 1_000

/** Kept tokens, and a server that gives one with the name of its user and a number, or refuses. */
function exchanging(lifeSeconds = 600) {
  const clock = new ManualClock()
  const server = { asked: [] as string[], refusal: undefined as ServiceError | undefined }
  const tokens = new ExchangedTokens({ clock })
  const exchange = async (subject: string): Promise<SentToken> => {
    server.asked.push(subject)
    const { length } = server.asked
    const from = clock.now()
    await Promise.resolve()
    if (server.refusal) throw server.refusal
    return { text: `${subject}-${length}`, from, until: from + lifeSeconds * second }
  }
  const get = async (subject: string, settings = 'billing') => {
    try {
      return await tokens.get(settings, subject, exchange)
    } catch (error) {
      return error instanceof ServiceError ? error.uri : error
    }
  }
  return { clock, server, tokens, exchange, get }
}

describe('the token that is given for that of a user', () => {
  it('is asked for once for all requests of the user, and given at once from then on', async () => {
    const { server, tokens, exchange, get } = exchanging()
    const all = await Promise.all(Array.from({ length: 1000 }, () => get('ada')))
    expect([new Set(all), server.asked]).to.deep.equal([new Set(['ada-1']), ['ada']])
    expect(tokens.get('billing', 'ada', exchange)).to.equal('ada-1')
  })

  it('is never that of another user, whatever the order', async () => {
    const { server, get } = exchanging()
    const users = Array.from({ length: 50 }, (_, index) => `user${index}`)
    const asked = Array.from({ length: 1000 }, (_, index) => users[(index * 7) % 50] as string)
    const given = await Promise.all(asked.map((user) => get(user)))
    const crossed = given.filter((token, at) => !String(token).startsWith(`${asked[at]}-`))
    expect([crossed, server.asked.length]).to.deep.equal([[], 50])
  })

  it('is another one for each token of the user and for other settings', async () => {
    const { server, get } = exchanging()
    expect(await get('ada')).to.equal('ada-1')
    expect(await get('ada, logged in again')).to.equal('ada, logged in again-2')
    expect(await get('ada', 'orders')).to.equal('ada-3')
    expect(await get('ada')).to.equal('ada-1')
    expect(server.asked.length).to.equal(3)
  })

  it('is sent until 10 s before its end, and of a short life three quarters', async () => {
    for (const [life, sent] of [
      [600, 590],
      [20, 15],
    ] as const) {
      const { clock, get } = exchanging(life)
      await get('ada')
      await clock.advance(sent * second - 1)
      expect(await get('ada')).to.equal('ada-1')
      await clock.advance(1)
      expect(await get('ada')).to.equal('ada-2')
    }
  })

  it('that has ended when it comes is not sent', async () => {
    for (const life of [0, -5]) {
      const { get } = exchanging(life)
      expect(await get('ada')).to.equal('service.error.no_upstream_token')
    }
  })

  it('that is refused is refused for 5 s, to this user alone', async () => {
    const { clock, server, get } = exchanging()
    server.refusal = new ServiceError('wamp.error.not_authorized', 'no')
    const all = await Promise.all(Array.from({ length: 20 }, () => get('ada')))
    expect([new Set(all), server.asked.length]).to.deep.equal([
      new Set(['wamp.error.not_authorized']),
      1,
    ])
    server.refusal = undefined
    await clock.advance(5 * second - 1)
    expect(await get('ada')).to.equal('wamp.error.not_authorized')
    expect(await get('bob')).to.equal('bob-2')
    await clock.advance(1)
    expect(await get('ada')).to.equal('ada-3')
  })

  it('that the upstream refuses is replaced, at most once in 10 s for each user', async () => {
    const { clock, tokens, get } = exchanging()
    await get('ada')
    await get('bob')
    expect(tokens.refuse('billing', 'ada', 'ada-1')).to.equal(true)
    expect(await get('ada')).to.equal('ada-3')
    expect(tokens.refuse('billing', 'ada', 'ada-1'), 'sent before').to.equal(true)
    expect(tokens.refuse('billing', 'ada', 'ada-3')).to.equal(false)
    expect(tokens.refuse('billing', 'bob', 'bob-2')).to.equal(true)
    await clock.advance(10 * second)
    expect(tokens.refuse('billing', 'ada', 'ada-3')).to.equal(true)
    expect(await get('ada')).to.equal('ada-4')
  })

  it('is kept of 10,000 at most, the last used ones, and never by the token of the user itself', async () => {
    const { server, tokens, get } = exchanging()
    await get('ada')
    for (let index = 0; index < 10_000; index += 1) {
      await get(`user${index}`)
      if (index % 1000 === 0) await get('ada')
    }
    expect(tokens.size).to.equal(10_000)
    const { length } = server.asked
    expect([await get('ada'), server.asked.length]).to.deep.equal(['ada-1', length])
    await get('user0')
    expect(server.asked.length).to.equal(length + 1)
  })
})
