/** A peer that sends many messages at once leaves turns of the event loop to others. */
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { stringifyJson } from '#component/codec/json.ts'
import { type Serializer, serializers } from '#component/codec/serializers.ts'
import { Quota } from '#component/limits/quota.ts'
import { Backlog } from '#component/router/limits/backlog.ts'
import { type FramedSocket, webSocketHead } from '#component/router/limits/framed-socket.ts'
import { SocketTransport } from '#component/router/socket-transport.ts'
import { runOneByOne, type YieldTurn } from '#component/yielding.ts'

class FakeWebSocket extends EventEmitter {
  readonly OPEN = 1
  readonly readyState = 1
  readonly bufferedAmount = 0
  isPaused = false
  pause() {
    this.isPaused = true
  }
  resume() {
    this.isPaused = false
  }
}

function opened(
  isInProcess: boolean,
  onDropped?: () => void,
  yieldTurn?: YieldTurn,
  serializer: Serializer = serializers.json,
) {
  const webSocket = new FakeWebSocket()
  const received: unknown[] = []
  const options = {
    ...{
      serializer,
      framed: webSocket as unknown as FramedSocket,
      socket: new PassThrough(),
    },
    runLong: runOneByOne(yieldTurn),
    ...{ clock: systemClock, backlog: new Backlog(new Quota(1_000_000), systemClock, onDropped) },
    ...{ peer: { address: '192.0.2.1', isInProcess }, maxBufferedBytes: 1_000 },
    ...{ pingIntervalMs: 0, pingTimeoutMs: 0, excuse: () => () => false },
    ...{ headOf: webSocketHead, owesBytes: () => true },
    ...{ isJoined: () => true, onTooLong: () => {} },
    onMessage: (message: unknown) => received.push(message),
    onClose: () => received.push('closed'),
  }
  const transport = new SocketTransport(options)
  const send = (count: number) => {
    for (let at = 0; at < count; at++) webSocket.emit('message', Buffer.from('[]'), false)
  }
  return { received, send, transport, webSocket }
}

describe('a WebSocket of the embedded router', () => {
  it('is read again in the next turn after 64 messages of one turn', async () => {
    const { received, send, webSocket } = opened(false)
    send(63)
    expect(webSocket.isPaused).to.equal(false)
    send(10)
    expect(webSocket.isPaused).to.equal(true)
    expect(received).to.have.length(73)
    await turn()
    expect(webSocket.isPaused).to.equal(false)
    send(63)
    expect(webSocket.isPaused).to.equal(false)
  })

  for (const control of ['ping', 'pong']) {
    it(`is read again in the next turn after 64 of ${control}, too`, async () => {
      const { send, webSocket } = opened(false)
      send(32)
      for (let at = 0; at < 31; at++) webSocket.emit(control, Buffer.alloc(0))
      expect(webSocket.isPaused).to.equal(false)
      webSocket.emit(control, Buffer.alloc(0))
      expect(webSocket.isPaused).to.equal(true)
      await turn()
      expect(webSocket.isPaused).to.equal(false)
    })
  }

  it('is not read before that turn because there is room', () => {
    const { send, transport, webSocket } = opened(false)
    send(64)
    transport.goOn()
    expect(webSocket.isPaused).to.equal(true)
  })

  it('is read again in the next turn when another one has taken this one', async () => {
    const { send, transport, webSocket } = opened(false)
    send(1)
    transport.rest()
    transport.goOn()
    expect(webSocket.isPaused).to.equal(true)
    await turn()
    expect(webSocket.isPaused).to.equal(false)
    transport.rest()
    await turn()
    expect(webSocket.isPaused).to.equal(false)
  })

  it('is always read when it is that of a process of the gateway', () => {
    const { received, send, webSocket } = opened(true)
    send(1_000)
    expect([webSocket.isPaused, received.length]).to.deep.equal([false, 1_000])
  })

  const longList = Array.from({ length: 100_000 }, (_, index) => index)

  for (const serializer of Object.values(serializers)) {
    it(`is paused while a long message is read in steps, and what came behind it follows: ${serializer.name}`, async () => {
      const pauses: (() => void)[] = []
      const yieldTurn = () => new Promise<void>((resolve) => pauses.push(resolve))
      const { received, transport, webSocket } = opened(false, undefined, yieldTurn, serializer)
      const { isBinary } = serializer
      webSocket.emit('message', Buffer.from(serializer.encode(longList)), isBinary)
      webSocket.emit('message', Buffer.from(serializer.encode([1])), isBinary)
      webSocket.emit('close')
      await turn()
      let steps = 0
      for (; received.length === 0; steps++) {
        transport.goOn()
        expect(webSocket.isPaused).to.equal(true)
        expect(pauses).to.have.length(1)
        pauses.pop()?.()
        await turn()
      }
      expect(steps).to.be.above(3)
      expect(received).to.deep.equal([longList, [1], 'closed'])
      expect(webSocket.isPaused).to.equal(false)
    })
  }

  it('ends the reading of a long message of a peer that is dropped', async () => {
    const pauses: (() => void)[] = []
    const yieldTurn = () => new Promise<void>((resolve) => pauses.push(resolve))
    const { received, transport, webSocket } = opened(false, undefined, yieldTurn)
    Object.assign(webSocket, { close: () => undefined, terminate: () => undefined })
    webSocket.emit('message', Buffer.from(stringifyJson(longList)), false)
    webSocket.emit('message', Buffer.from('[1]'), false)
    transport.drop()
    webSocket.emit('close')
    pauses.pop()?.()
    await turn()
    expect(received).to.deep.equal(['closed'])
    expect(pauses).to.have.length(0)
  })

  it('is told of as dropped when there is no room for what is held for it', () => {
    let dropped = 0
    const { transport, webSocket } = opened(false, () => {
      dropped += 1
    })
    Object.assign(webSocket, { close: () => undefined, terminate: () => undefined })
    transport.drop()
    expect(dropped).to.equal(1)
  })
})
