/** Streams of a call whose pieces go out as the bytes that they are. */
import { expect } from 'chai'
import { askForPieces, CallDouble, failureOf, resultOf } from './call-doubles.ts'

/** A download. @param body the last part of it */
const raw = (body: unknown = '') => ({
  ask: { headers: { accept: '*/*' } },
  response: {
    on_progress: { body: '{{action.progress.args |> head}}' },
    on_result: { headers: { 'content-type': 'application/octet-stream' }, body },
  },
})

describe('a stream of raw pieces', () => {
  it('sends texts as UTF-8 and binary as it is, one after the other, and then the final body', async () => {
    const call = new CallDouble(['é'])
    const { sink, turn, reply } = await askForPieces(call, {
      ...raw('{{action.result.args |> head}}'),
    })
    expect(reply.headers).to.include({ 'content-type': 'application/octet-stream' })
    call.piece(Uint8Array.of(0, 255))
    call.piece('x')
    turn()
    expect(sink.writes).to.have.length(2)
    call.end(resultOf('end'))
    const all = Buffer.concat(sink.writes.map((bytes) => Buffer.from(bytes)))
    expect(all.toString('hex')).to.equal('c3a900ff78656e64')
    expect(sink.ended).to.equal('whole')
  })

  it('has no heartbeat', async () => {
    const { sink, clock } = await askForPieces(new CallDouble(['a']), { ...raw() })
    await clock.advance(60_000)
    expect(sink.text).to.equal('a')
  })

  it('failure after the first byte: connection destroyed, so that the client sees a cut body', async () => {
    const call = new CallDouble(['a'])
    const { sink, record } = await askForPieces(call, { ...raw() })
    call.end(failureOf('wamp.error.net_failure'))
    expect(sink.ended).to.equal('cut')
    expect(record).to.include({ reason: 'failed', error: 'wamp.error.net_failure' })
  })

  it('body a map: CANCEL, destroyed; logged: expected a text or bytes', async () => {
    const call = new CallDouble(['a'])
    const { sink, record } = await askForPieces(call, { ...raw() })
    call.piece({ a: 1 })
    expect(call.isCancelled).to.equal(true)
    expect(sink.ended).to.equal('cut')
    expect(record?.failure?.reason).to.include('expected a text or bytes')
  })

  it('is no stream where the first piece is no text', async () => {
    const { reply } = await askForPieces(new CallDouble([{ a: 1 }]), { ...raw() })
    expect(reply.status).to.equal(500)
  })

  it('of an empty download is 200 without a body', async () => {
    const { reply, sink } = await askForPieces(resultOf(), { ...raw(), method: 'post' })
    expect(reply.status).to.equal(200)
    expect(sink.text).to.equal('')
    expect(sink.ended).to.equal('whole')
  })

  it('with Last-Event-ID is called as ever: no EventSource reads it', async () => {
    const { performed } = await askForPieces(resultOf(), {
      ...raw(),
      ask: { headers: { accept: '*/*', 'last-event-id': '3' } },
    })
    expect(performed).to.have.length(1)
  })
})
