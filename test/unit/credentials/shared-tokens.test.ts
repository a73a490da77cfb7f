/** Tokens that the processes of a gateway have in common: which one fetches, what the others get, and what a process takes along that ends. */
import { expect } from 'chai'
import type { SentToken } from '#component/credentials/sent-token.ts'
import { fetchedOnce, SharedTokens, type TokenShare } from '#component/credentials/shared-tokens.ts'
import { TokenKeeper } from '#component/credentials/token-keeper.ts'
import { ServiceError } from '#component/errors.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const second = 1_000
const key = 'com.example billing'
const isToFetch = { isToFetch: true }

function sharing() {
  const clock = new ManualClock()
  const shared = new SharedTokens(clock)
  const token = (text: string, seconds = 600): SentToken => ({
    text,
    from: clock.now(),
    until: clock.now() + seconds * second,
  })
  const ask = (process: string, text?: string) => {
    const former = text === undefined ? undefined : { text, until: clock.now() + 600 * second }
    return shared.ask(process, { key, former })
  }
  return { clock, shared, token, ask }
}

describe('a token of several processes', () => {
  it('is fetched by the first that asks; the others wait and get it, and later ones at once', async () => {
    const { shared, token, ask } = sharing()
    expect(ask('1')).to.deep.equal(isToFetch)
    const others = [ask('2'), ask('3')]
    const given = { token: token('one') }
    shared.tell({ key, ...given })
    expect(await Promise.all(others)).to.deep.equal([given, given])
    expect(ask('4')).to.deep.equal(given)
  })

  it('is fetched anew for a process that has it, and given to those that have it not', async () => {
    const { shared, token, ask } = sharing()
    void ask('1')
    shared.tell({ key, token: token('one') })
    expect(ask('2', 'one')).to.deep.equal(isToFetch)
    expect(ask('3')).to.have.nested.property('token.text', 'one')
    const waiting = ask('1', 'one')
    shared.tell({ key, token: token('two') })
    expect(await waiting).to.have.nested.property('token.text', 'two')
    expect(ask('3', 'one')).to.have.nested.property('token.text', 'two')
  })

  it('is not given in its last 10 s', async () => {
    const { clock, shared, token, ask } = sharing()
    shared.tell({ key, token: token('one') })
    await clock.advance(590 * second - 1)
    expect(ask('1')).to.have.property('token')
    await clock.advance(1)
    expect(ask('1')).to.deep.equal(isToFetch)
  })

  it('that could not be fetched is not tried by each of them', async () => {
    const { clock, shared, ask } = sharing()
    void ask('1')
    const waiting = ask('2')
    shared.tell({ key, failure: 'away' })
    expect(await waiting).to.deep.equal({ failure: 'away' })
    expect(ask('3')).to.deep.equal({ failure: 'away' })
    await clock.advance(500)
    expect(ask('3')).to.deep.equal(isToFetch)
  })

  it('is fetched by the next one where the process ends that was to fetch it', async () => {
    const { shared, token, ask } = sharing()
    void ask('1')
    const [second, third] = [ask('2'), ask('3')]
    shared.leave('2')
    shared.leave('1')
    expect(await third).to.deep.equal(isToFetch)
    shared.tell({ key, token: token('one') })
    expect(await Promise.race([second, settled()]), 'the ended one hears nothing').to.equal(
      undefined,
    )
    shared.leave('3')
    expect(ask('4')).to.have.property('token')
  })

  it('is fetched by a process that asks once more, whose first answer was lost', () => {
    const { ask } = sharing()
    expect([ask('1'), ask('1')]).to.deep.equal([isToFetch, isToFetch])
  })

  it('that has ended is forgotten', async () => {
    const { clock, shared, token, ask } = sharing()
    for (let index = 0; index < 100; index += 1) {
      shared.tell({ key: `former settings ${index}`, token: token('one', 60) })
    }
    await clock.advance(60 * second)
    void ask('1')
    shared.tell({ key, token: token('one') })
    expect(shared.size).to.equal(1)
  })

  /** The keepers of four processes, and the times at which one server was asked. */
  function processes(answer: () => SentToken, clock: ManualClock, shared: SharedTokens) {
    const asked: number[] = []
    const keepers = ['1', '2', '3', '4'].map((process) => {
      const share: TokenShare = {
        ask: async (question) => shared.ask(process, question),
        tell: (news) => shared.tell(news),
      }
      const fetch = async () => {
        asked.push(clock.now() / second - 1)
        await Promise.resolve()
        return answer()
      }
      return new TokenKeeper({
        clock,
        fetch: (former) => fetchedOnce(share, { key, former }, fetch),
      })
    })
    const pass = async (seconds: number) => {
      for (let at = 0; at < seconds; at += 1) {
        await Promise.all(keepers.map(async (keeper) => keeper.get())).catch((error: unknown) => {
          if (!(error instanceof ServiceError)) throw error
        })
        await clock.advance(second)
      }
    }
    return { asked, pass }
  }

  it('is fetched once for all of them each time it is renewed', async () => {
    const { clock, shared, token } = sharing()
    const { asked, pass } = processes(() => token('any'), clock, shared)
    await pass(100)
    expect(asked).to.deep.equal([0])
    await pass(1000)
    expect(asked.length).to.be.within(3, 4)
  })

  it('is tried no more often by all of them than by one while the server is away', async () => {
    const { clock, shared } = sharing()
    const answer = () => {
      throw new Error('away')
    }
    const { asked, pass } = processes(answer, clock, shared)
    await pass(300)
    expect(asked.length).to.be.within(9, 16)
  })

  it('is fetched by each of them where the primary does not answer', async () => {
    const { token } = sharing()
    const share: TokenShare = {
      ask: () => Promise.reject(new Error('no answer')),
      tell: () => undefined,
    }
    const found = await fetchedOnce(share, { key, former: undefined }, async () => token('one'))
    expect(found.text).to.equal('one')
  })
})
