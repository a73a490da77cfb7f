/** Sessions on an external router that end with the tickets that have opened them. */
import { expect } from 'chai'
import { TicketSessions } from '#component/realm/ticket-sessions.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const realm_uri = 'com.example.realm'

describe('the sessions that tickets have opened on an external router', () => {
  let clock: ManualClock
  let ended: number[]
  let sessions: TicketSessions

  beforeEach(() => {
    clock = new ManualClock()
    ended = []
    sessions = new TicketSessions({ clock, end: ({ session }) => void ended.push(session) })
  })

  const add = (session: number, lifetimeMs: number, isRevoked = () => false) =>
    sessions.add({ realm_uri, session, isRevoked, expiresAt: clock.now() + lifetimeMs })

  it('end each when its ticket expires, also in thirty days', async () => {
    add(1, 1_000)
    add(2, 2_592_000_000)
    await clock.advance(1_000)
    expect(ended).to.deep.equal([1])
    await clock.advance(2_592_000_000)
    expect(ended).to.deep.equal([1, 2])
    expect(clock.pending).to.equal(0)
  })

  it('end at once when the ticket is revoked, and not a second time', async () => {
    let isRevoked = false
    add(1, 1_000, () => isRevoked)
    add(2, 1_000)
    sessions.endRevoked()
    expect(ended).to.deep.equal([])
    isRevoked = true
    sessions.endRevoked()
    expect(ended).to.deep.equal([1])
    await clock.advance(1_000)
    expect(ended).to.deep.equal([1, 2])
  })

  it('are so many at most, and leave no timer behind', () => {
    for (let session = 0; session < 10_001; session += 1) add(session, 1_000)
    expect(clock.pending).to.equal(10_000)
    sessions.close()
    expect([clock.pending, ended]).to.deep.equal([0, []])
  })
})
