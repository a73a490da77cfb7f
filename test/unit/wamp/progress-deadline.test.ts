/** The deadlines of a call with progressive results: to the first piece, and from each piece to the next. */
import { expect } from 'chai'
import { Requests, readResult } from '#component/wamp/requests.ts'
import type { CallResult, WampError } from '#component/wamp/session.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const id = 7
const call = 48

describe('the deadline of a call with progressive results', () => {
  let clock: ManualClock
  let requests: Requests
  let abandoned: unknown[]
  let pieces: unknown[]
  let outcome: string

  const piece = (number: number) => requests.settle([50, id, { progress: true }, [number]])

  beforeEach(() => {
    clock = new ManualClock()
    abandoned = []
    pieces = []
    outcome = 'waiting'
    requests = new Requests(clock, (_type, request) => abandoned.push(request))
    const listener = ({ args }: CallResult) => pieces.push(args[0])
    requests.wait(id, call, 'com.example.a', 1000, readResult, { listener, timeoutMs: 50 }).then(
      ({ args }) => {
        outcome = String(args[0])
      },
      (error: WampError) => {
        outcome = error.error_uri
      },
    )
  })

  for (const [what, steps, expected] of [
    ['is the first one until a piece comes', [999], 'waiting'],
    ['passes without a piece', [1000], 'service.error.timeout'],
    ['begins anew with each piece', ['piece', 49, 'piece', 49, 'piece', 49], 'waiting'],
    ['is the shorter one after a piece', ['piece', 50], 'service.error.timeout'],
    ['outlives the first one', [999, 'piece', 49, 'piece', 49], 'waiting'],
  ] as const) {
    it(what, async () => {
      for (const step of steps) {
        if (step === 'piece') piece(1)
        else await clock.advance(step)
      }
      expect(outcome).to.equal(expected)
      expect(abandoned).to.deep.equal(expected === 'waiting' ? [] : [id])
      expect(requests.size).to.equal(expected === 'waiting' ? 1 : 0)
    })
  }

  it('is gone with the result', async () => {
    piece(1)
    requests.settle([50, id, {}, ['the result']])
    await clock.advance(10_000)
    expect(outcome).to.equal('the result')
    expect(clock.pending).to.equal(0)
  })

  it('drops pieces and answers that come after it', async () => {
    await clock.advance(1000)
    piece(1)
    expect(requests.settle([50, id, {}, ['late']])).to.equal(false)
    expect({ pieces, outcome }).to.deep.equal({ pieces: [], outcome: 'service.error.timeout' })
    expect(clock.pending).to.equal(0)
  })

  it('is not moved by a piece of another call', async () => {
    piece(1)
    requests.settle([50, id + 1, { progress: true }, [1]])
    await clock.advance(50)
    expect(outcome).to.equal('service.error.timeout')
  })
})
