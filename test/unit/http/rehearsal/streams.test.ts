/** A rehearsed stream: its frames are read back as they were written. */
import { Buffer } from 'node:buffer'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import { framesOf } from '#component/stream/frames.ts'
import type { Sink } from '#component/stream/sink.ts'
import { TrustedProxies } from '#http/peer.ts'
import { rehearsedHttp } from '#http/rehearsal/rehearsed-http.ts'

const http = rehearsedHttp(new TrustedProxies([]))
const record = { kind: 'events' as const, events: 0, reason: 'client' }

const exchangeOf = (method: string): Exchange => {
  const exchange = http.read({ method, path: '/' }, 'an-id', systemClock, () => false)
  if ('status' in exchange) throw new TypeError('a request that is well-formed')
  return exchange
}

/** What a stream is sent as that writes when it begins, and when it is played. */
async function sent(
  type: string,
  onBegin: (sink: Sink) => void,
  onPlay: (sink: Sink) => void = () => undefined,
  method = 'get',
) {
  const told: string[] = []
  let begun: Sink | undefined
  const reply: Reply = {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: {
      kind: 'events',
      type,
      begin(sink) {
        begun = sink
        sink.onClose(() => told.push('closed'))
        onBegin(sink)
      },
      cancel: () => told.push('cancelled'),
      record,
    },
  }
  const answer = await http.send(exchangeOf(method), reply, async () => begun && onPlay(begun))
  return { ...answer, told }
}

describe('a rehearsed stream', () => {
  const written = [
    { id: '7-abc', event: 'order', data: '{"id":9007199254740993,"text":"a\\nb: c"}' },
    { data: '"text"' },
    { event: 'end', data: '{"code":"complete"}' },
  ]
  const frames = [
    { id: '7-abc', event: 'order', data: { id: 9007199254740993n, text: 'a\nb: c' } },
    { data: 'text' },
    { event: 'end', data: { code: 'complete' } },
  ]

  for (const [type, { event, retry, comment, heartbeat }] of Object.entries(framesOf)) {
    it(`is read back event by event: ${type}`, async () => {
      const found = await sent(
        type,
        (sink) => sink.write(retry(2000) + comment('away') + heartbeat),
        (sink) => {
          for (const frame of written) sink.write(Buffer.from(event(frame)))
        },
      )
      expect(found.frames).to.deep.equal(frames)
      expect(found).to.include({ status: 200, body: '' })
      expect(found.headers).to.include({ 'content-type': type, 'cache-control': 'no-store' })
    })
  }

  it('is over when all has been played: its client goes', async () => {
    const { told } = await sent('text/event-stream', () => undefined)
    expect(told).to.deep.equal(['closed'])
  })

  it('of HEAD is not begun', async () => {
    const { told, frames: found } = await sent(
      'text/event-stream',
      (sink) => sink.write('data: 1\n\n'),
      undefined,
      'head',
    )
    expect({ told, found }).to.deep.equal({ told: ['cancelled'], found: [] })
  })

  it('of another type is a body', async () => {
    const { frames: found, body } = await sent('text/csv', (sink) => {
      sink.write('a,b\n')
      sink.write(Buffer.from('1,2\n'))
      sink.end()
    })
    expect({ found, body }).to.deep.equal({ found: undefined, body: 'a,b\n1,2\n' })
  })

  it('of more than 1 MiB has the frames that are whole in it', async () => {
    const data = JSON.stringify('x'.repeat(400_000))
    const { frames: found } = await sent('application/x-ndjson', (sink) => {
      for (let count = 0; count < 10; count += 1)
        sink.write(framesOf['application/x-ndjson'].event({ data }))
    })
    expect(found).to.have.length(3)
  })
})
