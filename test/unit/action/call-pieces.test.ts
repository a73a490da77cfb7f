/** wamp_call with progressive results, against a session that does as told. */
import { expect } from 'chai'
import type { CallStream, Outcome, Run } from '#component/action/action.ts'
import { wampCallAction } from '#component/action/wamp-call/perform.ts'
import { ServiceError } from '#component/errors.ts'
import type { CallResult } from '#component/wamp/session.ts'
import { WampError } from '#component/wamp/session.ts'
import { callResult, ManualClock, runOf, SessionDouble, settled } from './doubles.ts'

const piece = (number: number): CallResult => callResult({ args: [number] })

/** A call that wants progressive results. */
function begin(fields: object = {}, changes: Partial<Run> = {}, session = new SessionDouble()) {
  const clock = new ManualClock()
  const ports = { sessions: { session: () => session }, clock, allowedDynamicUris: [] }
  const { run, cancel } = runOf({ wantsProgress: true, ...changes })
  const performed = wampCallAction(ports).perform({ procedure: 'com.example.p', ...fields }, run)
  const give = (...numbers: number[]): void => {
    for (const number of numbers) session.calls.at(-1)?.onProgress?.(piece(number))
  }
  const answer = (result: CallResult | Error) => session.calls.at(-1)?.settle(result)
  return { clock, session, performed, give, answer, cancel }
}

/** The stream of a call. */
const streamOf = ({ stream }: Outcome): CallStream | undefined =>
  stream?.kind === 'call' ? stream : undefined

/** Takes what a stream gives: numbers of pieces, then the outcome. */
function taken(outcome: Outcome): unknown[] {
  const all: unknown[] = []
  streamOf(outcome)?.begin({
    onPiece: ({ args }) => all.push(args[0]),
    onOutcome: (outcome) => all.push('error' in outcome ? outcome.error.error_uri : outcome.result),
  })
  return all
}

describe('wamp_call with progressive results', () => {
  it('asks for them, and for nothing else that the document says of them', async () => {
    const { session, performed, answer } = begin({
      options: { receive_progress: false, rkey: 1 },
      progress_timeout: 200,
    })
    answer(callResult())
    await performed
    expect(session.asked).to.deep.include({
      uri: 'com.example.p',
      args: [],
      kwargs: {},
      options: { rkey: 1 },
      timeoutMs: 1000,
      progressTimeoutMs: 200,
    })
    expect(session.calls[0]?.onProgress).to.be.a('function')
  })

  it('asks for none where the answer is no stream', async () => {
    const options = { receive_progress: true }
    const { session, performed, answer } = begin({ options }, { wantsProgress: false })
    answer(callResult())
    await performed
    expect(session.calls[0]?.onProgress).to.equal(undefined)
    expect(session.asked[0]?.options).to.deep.equal({})
  })

  it('is an ordinary outcome where the answer comes first', async () => {
    const { performed, answer } = begin()
    answer(callResult({ args: [1] }))
    const outcome = await performed
    expect(outcome).to.have.deep.nested.property('result.args', [1])
    expect(outcome).not.to.have.property('stream')
  })

  it('is an ordinary failure before the first piece, and tried again', async () => {
    const attempts = { timeout: 1000, connect_timeout: 500, retries: 1, retry_timeout: 5000 }
    const unsent = new WampError('wamp.error.net_failure', { wasSent: false })
    const { performed, clock, give, session } = begin({}, { attempts }, new SessionDouble(unsent))
    await clock.advance(200)
    expect(session.calls).to.have.length(2)
    give(1)
    expect(await performed).to.have.property('stream')
  })

  it('is tried once after the first piece', async () => {
    const attempts = { timeout: 1000, connect_timeout: 500, retries: 3, retry_timeout: 5000 }
    const { performed, clock, give, answer, session } = begin({}, { attempts })
    give(1)
    answer(new WampError('wamp.error.net_failure', { wasSent: false }))
    const all = taken(await performed)
    await clock.advance(5000)
    expect(all).to.deep.equal([1, 'wamp.error.net_failure'])
    expect(session.calls).to.have.length(1)
  })

  it('gives every piece in order, those before begin too, and then the outcome, once', async () => {
    const { performed, give, answer } = begin()
    give(1, 2)
    const outcome = await performed
    give(3)
    const all = taken(outcome)
    expect(all).to.deep.equal([1, 2, 3])
    give(4)
    answer(callResult({ args: ['end'] }))
    await settled()
    give(5)
    expect(all.slice(0, 4)).to.deep.equal([1, 2, 3, 4])
    expect(all[4]).to.have.deep.property('args', ['end'])
    expect(all).to.have.length(5)
  })

  it('gives everything that came before begin, with the outcome', async () => {
    const { performed, give, answer } = begin()
    give(1, 2)
    answer(new WampError('com.example.broken'))
    const outcome = await performed
    await settled()
    expect(taken(outcome)).to.deep.equal([1, 2, 'com.example.broken'])
  })

  it('gives pieces and results with the old names of args and kwargs', async () => {
    const { performed, give } = begin()
    give(1)
    let old: unknown
    const stream = streamOf(await performed)
    stream?.begin({
      onPiece: (one) => {
        old = Reflect.get(one, 'arguments')
      },
      onOutcome: () => undefined,
    })
    expect(old).to.deep.equal([1])
  })

  it('ends with service.error.timeout and cancels the call when max_duration is over', async () => {
    const { performed, give, clock, session } = begin({ max_duration: 5000 })
    await clock.advance(500)
    give(1)
    const outcome = await performed
    const all = taken(outcome)
    await clock.advance(4499)
    expect(all).to.deep.equal([1])
    await clock.advance(1)
    expect(all).to.deep.equal([1, 'service.error.timeout'])
    expect(session.cancels).to.equal(1)
    give(2)
    expect(all).to.have.length(2)
  })

  it('waits for the first piece no longer than max_duration, and lasts for ever with 0', async () => {
    const short = begin({ max_duration: 300 })
    expect(short.session.asked[0]).to.include({ timeoutMs: 300 })
    const endless = begin({ max_duration: 0 })
    endless.give(1)
    await endless.performed
    expect(endless.session.asked[0]).to.include({ timeoutMs: 1000 })
    expect(endless.clock.pending).to.equal(0)
  })

  it('holds to an hour, and between pieces to timeout, unless the document says otherwise', async () => {
    const { performed, give, clock, session } = begin()
    expect(session.asked[0]).to.include({ progressTimeoutMs: 1000 })
    give(1)
    const all = taken(await performed)
    await clock.advance(3_599_999)
    expect(all).to.deep.equal([1])
    await clock.advance(1)
    expect(all).to.deep.equal([1, 'service.error.timeout'])
  })

  it('cancels the call of a client that goes away, before the first piece and after it', async () => {
    const before = begin()
    before.cancel()
    expect(await before.performed).to.have.nested.property('error.error_uri', 'wamp.error.canceled')
    expect(before.session.cancels).to.equal(1)
    const after = begin()
    after.give(1)
    const all = taken(await after.performed)
    after.cancel()
    expect(all).to.deep.equal([1])
    expect(after.session.cancels).to.equal(1)
    expect(after.clock.pending).to.equal(0)
  })

  it('ends with the reason for which the gateway gives the request up', async () => {
    const { performed, give, cancel } = begin()
    give(1)
    const all = taken(await performed)
    cancel(new ServiceError('service.error.timeout', 'this node is stopping'))
    expect(all).to.deep.equal([1, 'service.error.timeout'])
  })

  it('gives nothing more to a listener that cancels, pieces that came before included', async () => {
    const { performed, give, session } = begin()
    give(1, 2, 3)
    const stream = streamOf(await performed)
    const all: unknown[] = []
    stream?.begin({
      onPiece: ({ args }) => {
        all.push(args[0])
        stream.cancel()
      },
      onOutcome: (outcome) => all.push(outcome),
    })
    give(4)
    await settled()
    expect(all).to.deep.equal([1])
    expect(session.cancels).to.equal(1)
  })

  it('tells when it is over, also who asks later', async () => {
    const { performed, give, answer } = begin()
    give(1)
    const stream = streamOf(await performed)
    const told: string[] = []
    stream?.onSettled(() => told.push('first'))
    expect(told).to.deep.equal([])
    answer(callResult())
    await settled()
    stream?.onSettled(() => told.push('later'))
    expect(told).to.deep.equal(['first', 'later'])
  })
})
