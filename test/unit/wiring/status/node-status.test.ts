/** What `/ready` says of a node. */
import { expect } from 'chai'
import { SessionRecord } from '#component/wamp/session-record.ts'
import { problemsOf } from '#component/wiring/status/node-status.ts'

describe('the problems of a node', () => {
  const record = new SessionRecord()
  const well = {
    own: { isOpen: true, record },
    replica: { isStoreAway: false },
    health: { fault: undefined },
    sync: { isNameTaken: false },
    refused: [],
    refusedProcedures: 0,
    stoppedDeliveries: 0,
  }
  const afterEnd = (ending: Parameters<SessionRecord['ended']>[0]) => {
    const ended = new SessionRecord()
    ended.ended(ending, Date.UTC(2026, 10, 22))
    return problemsOf({ ...well, own: { isOpen: false, record: ended } })
  }
  const refusedFiles = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      file: `/etc/${index}.json`,
      issues: [{ path: '/host', message: 'a text of the document' }],
      isForNow: false,
    }))

  for (const [count, words] of [
    [1, '1 procedure'],
    [3, '3 procedures'],
  ] as const) {
    it(`tell of ${words} that the router refuses, and not of which`, () => {
      expect(problemsOf({ ...well, refusedProcedures: count })).to.deep.equal([
        `the router refuses to register ${words}, listed by GET /registry`,
      ])
    })
  }

  it('tell of deliveries that are stopped, and not of which', () => {
    const notes = [1, 2].flatMap((count) => problemsOf({ ...well, stoppedDeliveries: count }))
    expect(notes).to.deep.equal([
      '1 delivery is stopped, listed by GET /registry',
      '2 deliveries are stopped, listed by GET /registry',
    ])
  })

  it('are none when all is well', () => {
    expect(problemsOf(well)).to.deep.equal([])
  })

  it('are the router and the store', () => {
    const own = { isOpen: false, record }
    const all = { ...well, own, replica: { isStoreAway: true } }
    expect(problemsOf(all)).to.deep.equal(['the router is away', 'the store is away'])
  })

  it('are a name that another gateway has', () => {
    expect(problemsOf({ ...well, sync: { isNameTaken: true } })).to.deep.equal([
      'another gateway has the name of this node',
    ])
  })

  for (const [fault, problem] of [
    ['full', 'the disk of the store is full'],
    ['failed', 'the disk of the store failed'],
    ['read_only', 'the store is read-only'],
  ] as const) {
    it(`say that ${problem}`, () => {
      expect(problemsOf({ ...well, health: { fault } })).to.deep.equal([problem])
    })
  }

  it('name the last error of the session with the router', () => {
    expect(afterEnd({ reason: 'connect ECONNREFUSED 127.0.0.1:1' })).to.deep.equal([
      'the router is away: wamp.error.net_failure (connect ECONNREFUSED 127.0.0.1:1) at 2026-11-22T00:00:00.000Z',
    ])
  })

  it('hold no text of the router, which may name a user', () => {
    const reason = 'wamp.error.authentication_failed'
    expect(afterEnd({ reason, message: 'no principal joe' })).to.deep.equal([
      `the router is away: ${reason} at 2026-11-22T00:00:00.000Z`,
    ])
  })

  it('name refused files without a text of them, and count those beyond ten', () => {
    const problems = problemsOf({ ...well, refused: refusedFiles(12) })
    expect(problems[0]).to.equal(
      'the file /etc/0.json was refused: 1 issue, listed by GET /registry',
    )
    expect(problems).to.have.length(11)
    expect(problems.at(-1)).to.equal('2 more files were refused')
  })
})
