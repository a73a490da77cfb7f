/** Who waits until a socket has written what it held is told once. */
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { Drain } from '#component/wamp/channel/drain.ts'

describe('the drain of a socket', () => {
  let socket: PassThrough
  let drain: Drain
  let told: string[]
  const tell = { a: () => void told.push('a'), b: () => void told.push('b') }

  beforeEach(() => {
    socket = new PassThrough()
    drain = new Drain()
    told = []
  })

  it('is told to all who wait, each once', () => {
    for (const each of [tell.a, tell.b, tell.a]) drain.once(socket, each)
    expect(told).to.deep.equal([])
    socket.emit('drain')
    socket.emit('drain')
    expect(told).to.deep.equal(['a', 'b'])
  })

  it('is told again to who waits again', () => {
    drain.once(socket, () => drain.once(socket, tell.a))
    socket.emit('drain')
    expect(told).to.deep.equal([])
    socket.emit('drain')
    expect(told).to.deep.equal(['a'])
  })

  it('takes one listener of the socket, and none while nobody waits', () => {
    expect(socket.listenerCount('drain')).to.equal(0)
    for (let at = 0; at < 20; at++) drain.once(socket, () => undefined)
    expect(socket.listenerCount('drain')).to.equal(1)
    socket.emit('drain')
    expect(socket.listenerCount('drain')).to.equal(0)
  })
})
