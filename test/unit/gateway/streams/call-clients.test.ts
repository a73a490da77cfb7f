/** Clients of streams of a call: those that read too slowly, not at all, or go away; and what is counted. */
import { expect } from 'chai'
import { framesOf } from '#component/stream/frames.ts'
import { askForPieces, CallDouble, resultOf } from './call-doubles.ts'

const sse = framesOf['text/event-stream']

describe('the client of a stream of a call', () => {
  it('10,000 pieces in one turn: one write; beyond call_buffer: slow', async () => {
    const call = new CallDouble(['first'])
    const { sink, turn, record } = await askForPieces(call)
    for (let n = 0; n < 10_000; n += 1) call.piece(n)
    expect(sink.writes).to.have.length(1)
    turn()
    expect(sink.writes).to.have.length(2)
    expect(sink.text.match(/^id: /gm)).to.have.length(10_001)
    for (let n = 0; n < 5; n += 1) call.piece('x'.repeat(1_000_000))
    turn()
    expect(sink.writes).to.have.length(2)
    expect(sink.ended).to.equal('cut')
    expect(call.isCancelled).to.equal(true)
    expect(record).to.include({ reason: 'slow' })
  })

  it('client too slow, waiting > limits.call_buffer: CANCEL; connection destroyed; reason slow', async () => {
    const call = new CallDouble(['a'])
    const { sink, turn, record } = await askForPieces(call, { bufferBytes: 200 })
    sink.isStuck = true
    call.piece('b'.repeat(100))
    turn()
    call.piece('c'.repeat(20))
    turn()
    expect(sink.ended).to.equal(undefined)
    call.piece('d'.repeat(100))
    expect(sink.ended).to.equal('cut')
    expect(call.isCancelled).to.equal(true)
    expect(record).to.include({ reason: 'slow', events: 3 })
  })

  it('counts what waits among the bytes that the process holds', async () => {
    const call = new CallDouble(['a'])
    const { sink, turn, clock } = await askForPieces(call)
    sink.isStuck = true
    call.piece('b'.repeat(100))
    turn()
    expect(sink.held).to.be.within(100, 200)
    sink.waiting = 0
    await clock.advance(15_000)
    expect(sink.held).to.equal(0)
  })

  for (const [title, next] of [
    ['a piece', (call: CallDouble) => call.piece('c'.repeat(200))],
    ['the result', (call: CallDouble) => call.end(resultOf('c'.repeat(200)))],
  ] as const) {
    it(`the process has no room for ${title}: CANCEL; connection destroyed; reason slow`, async () => {
      const call = new CallDouble(['a'])
      const { sink, record } = await askForPieces(call)
      sink.room = 200
      next(call)
      expect(sink.ended).to.equal('cut')
      expect(call.isCancelled).to.equal(true)
      expect(record).to.include({ reason: 'slow', events: 1 })
    })
  }

  it('piece larger than call_buffer: error', async () => {
    const call = new CallDouble(['a'])
    const { sink, record } = await askForPieces(call, { bufferBytes: 200 })
    call.piece('b'.repeat(300))
    expect(sink.text).to.include('"code":"wamp.error.payload_size_exceeded"')
    expect(sink.ended).to.equal('whole')
    expect(record).to.include({ error: 'wamp.error.payload_size_exceeded', reason: 'failed' })
  })

  it('client goes: CANCEL; later pieces are dropped', async () => {
    const call = new CallDouble(['a'])
    const { sink, record, turn, clock } = await askForPieces(call)
    sink.leave()
    call.piece('b')
    turn()
    expect(call.isCancelled).to.equal(true)
    expect(sink.writes).to.have.length(1)
    expect(record).to.include({ reason: 'client', events: 1 })
    expect(clock.pending).to.equal(0)
  })

  it('has a heartbeat where nothing was written for 15 s', async () => {
    const call = new CallDouble(['a'])
    const { sink, clock, turn } = await askForPieces(call)
    await clock.advance(10_000)
    call.piece('b')
    turn()
    const before = sink.writes.length
    await clock.advance(14_999)
    expect(sink.writes).to.have.length(before)
    await clock.advance(1)
    expect(sink.writes.slice(before)).to.deep.equal([sse.heartbeat])
    await clock.advance(15_000)
    expect(sink.writes).to.have.length(before + 2)
    call.end(resultOf())
    expect(clock.pending).to.equal(0)
  })

  it('cuts a client that has taken nothing for 120 s', async () => {
    const call = new CallDouble(['a'])
    const { sink, clock, turn, record } = await askForPieces(call)
    sink.isStuck = true
    call.piece('b')
    turn()
    await clock.advance(119_999)
    expect(sink.ended).to.equal(undefined)
    await clock.advance(1)
    expect(sink.ended).to.equal('cut')
    expect(call.isCancelled).to.equal(true)
    expect(record).to.include({ reason: 'stuck' })
  })

  it('counts pieces, and says why it has ended', async () => {
    const call = new CallDouble(['a'])
    const { callStreams, record } = await askForPieces(call)
    call.piece('b')
    expect(callStreams.pieces).to.equal(2)
    call.end(resultOf())
    expect(record).to.include({ kind: 'call', reason: 'complete' })
  })
})
