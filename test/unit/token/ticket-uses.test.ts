/** Tickets that may not be idle for long: by what a ticket, a process and the store know of its uses. */
import { expect } from 'chai'
import type { TicketClaims } from '#component/token/ticket.ts'
import { TicketUses } from '#component/token/ticket-uses.ts'
import { TokenError } from '#component/token/token-error.ts'

const idle = 1_000
const start = 1_763_740_800

/** A store that several processes share. */
class MemoryUses {
  readonly noted: (readonly [ticket: string, used_at: number])[] = []
  asked = 0
  isAway = false

  async note(ticket: string, used_at: number): Promise<void> {
    if (this.isAway) throw new Error('away')
    this.noted.push([ticket, used_at])
  }

  async lastUse(ticket: string): Promise<number | undefined> {
    this.asked += 1
    return this.noted.findLast(([id]) => id === ticket)?.[1]
  }
}

describe('a ticket that may not be idle for long', () => {
  let now: number
  let store: MemoryUses
  let lines: number
  const clock = { now: () => now * 1_000, after: () => () => undefined }
  const log = {
    warn: () => {
      lines += 1
    },
  }
  const process = () => new TicketUses({ store, clock, log })
  const claims = (more: object = {}) =>
    ({ id: 't', iat: start, exp: start + 9_999, oidc_idle: idle, ...more }) as TicketClaims
  const refused = async (uses: TicketUses, of = claims()) => {
    try {
      await uses.use(of)
      return false
    } catch (error) {
      expect(error).to.be.instanceOf(TokenError).and.include({
        reason: 'the ticket was not used for too long',
      })
      return true
    }
  }

  beforeEach(() => {
    now = start
    store = new MemoryUses()
    lines = 0
  })

  it('lives on as long as it is used, at once and without a question to the store', () => {
    const uses = process()
    for (let turn = 0; turn < 5; turn += 1) {
      now += idle - 1
      expect(uses.use(claims())).to.equal(undefined)
    }
    expect(store.asked).to.equal(0)
  })

  it('is refused once it was not used for so long, and stays refused', async () => {
    const uses = process()
    await uses.use(claims())
    now += idle
    expect(await refused(uses)).to.equal(true)
    expect(await refused(uses)).to.equal(true)
  })

  it('is refused that was never used after its login', async () => {
    now += idle
    expect(await refused(process())).to.equal(true)
  })

  it('is used at any process: the others ask the store before they refuse it', async () => {
    const [one, other] = [process(), process()]
    now += 900
    await one.use(claims())
    now += 900
    expect(await refused(other)).to.equal(false)
    expect(store.asked).to.equal(1)
    now += 900
    expect(await refused(one), 'by the use of the other one').to.equal(false)
  })

  it('tells by itself of a use that no process here knows', async () => {
    now += 1_500
    expect(await refused(process(), claims({ oidc_used_at: start + 600 }))).to.equal(false)
    expect(store.asked).to.equal(0)
  })

  it('has its use told to the store once a minute', async () => {
    const uses = process()
    for (let second = 0; second < 150; second += 1) {
      now = start + second
      await uses.use(claims())
    }
    expect(store.noted.map(([, at]) => at - start)).to.deep.equal([0, 60, 120])
  })

  it('is used on while the store is away, which is told once', async () => {
    const uses = process()
    store.isAway = true
    for (let minute = 0; minute < 5; minute += 1) {
      now = start + minute * 60
      await uses.use(claims())
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(lines).to.be.within(1, 5)
  })

  it('is given to a browser anew after a tenth of the time', () => {
    const uses = process()
    now += 99
    expect(uses.isToSlide(claims())).to.equal(false)
    now += 1
    expect(uses.isToSlide(claims())).to.equal(true)
    const slid = uses.slid(claims())
    expect(slid).to.deep.equal(claims({ oidc_used_at: start + 100 }))
    expect(uses.isToSlide(slid)).to.equal(false)
  })

  it('is any other ticket without this claim, of which nothing is noted', () => {
    const uses = process()
    now += 9_000
    const { oidc_idle: _, ...others } = claims()
    expect(uses.use(others as TicketClaims)).to.equal(undefined)
    expect(uses.isToSlide(others as TicketClaims)).to.equal(false)
    expect(store.noted).to.deep.equal([])
  })
})
