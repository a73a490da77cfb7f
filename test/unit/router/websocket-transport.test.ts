/** A peer that sends many messages at once leaves turns of the event loop to others. */
import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import type { WebSocket } from 'ws'
import { systemClock } from '#component/clock.ts'
import { serializers } from '#component/codec/serializers.ts'
import { Quota } from '#component/limits/quota.ts'
import { Backlog } from '#component/router/limits/backlog.ts'
import { WebSocketTransport } from '#component/router/websocket-transport.ts'

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

function opened(isInProcess: boolean, onDropped?: () => void) {
  const webSocket = new FakeWebSocket()
  const received: unknown[] = []
  const options = {
    ...{
      serializer: serializers.json,
      webSocket: webSocket as unknown as WebSocket,
      socket: new PassThrough(),
    },
    ...{ clock: systemClock, backlog: new Backlog(new Quota(1_000_000), systemClock, onDropped) },
    ...{ peer: { address: '192.0.2.1', isInProcess }, maxBufferedBytes: 1_000 },
    ...{ pingIntervalMs: 0, pingTimeoutMs: 0, excuse: () => () => false },
    ...{ isJoined: () => true, onTooLong: () => {} },
    ...{ onMessage: (message: unknown) => received.push(message), onClose: () => {} },
  }
  const transport = new WebSocketTransport(options)
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

  it('is not read before that turn because there is room', () => {
    const { send, transport, webSocket } = opened(false)
    send(64)
    transport.goOn()
    expect(webSocket.isPaused).to.equal(true)
  })

  it('is always read when it is that of a process of the gateway', () => {
    const { received, send, webSocket } = opened(true)
    send(1_000)
    expect([webSocket.isPaused, received.length]).to.deep.equal([false, 1_000])
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
