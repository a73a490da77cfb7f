/** A WebSocket to the router after the process stood still: nothing that came meanwhile is taken. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type WebSocket, WebSocketServer } from 'ws'
import { serializers } from '#component/codec/serializers.ts'
import type { Channel } from '#component/wamp/channel/channel.ts'
import { socketChannel } from '#component/wamp/channel/socket-channel.ts'
import type { WampMessage } from '#component/wamp/link.ts'

const linkCheckMs = 5000

describe('a channel to the router', () => {
  let server: WebSocketServer
  let peer: WebSocket
  let channel: Channel
  let now: number
  let looks: (() => void)[]
  let received: WampMessage[]
  let next: PromiseWithResolvers<WampMessage | string>

  beforeEach(async () => {
    server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    now = 1_000_000
    looks = []
    received = []
    next = Promise.withResolvers()
    const clock = {
      now: () => now,
      random: () => 0,
      after(_ms: number, callback: () => void) {
        looks.push(callback)
        return () => undefined
      },
    }
    const connected = once(server, 'connection')
    const opened = Promise.withResolvers<void>()
    channel = socketChannel({
      ...{ url: `ws://127.0.0.1:${port}`, headers: {}, maxBytes: 1000, linkCheckMs, clock },
      serializer: serializers.json,
    })()
    channel.onOpen = () => opened.resolve()
    channel.onMessage = (message) => {
      received.push(message)
      next.resolve(message)
    }
    channel.onClose = (reason) => next.resolve(reason)
    ;[peer] = (await connected) as [WebSocket]
    await opened.promise
  })

  afterEach(() => {
    channel.destroy()
    server.close()
  })

  it('takes what comes in time', async () => {
    now += linkCheckMs
    peer.send('[68, 1, 2, {}]')
    expect(await next.promise).to.deep.equal([68, 1, 2, {}])
  })

  it('ends before it takes an invocation that waited while the process stood still', async () => {
    now += 15_000
    peer.send('[68, 1, 2, {}]')
    expect(await next.promise).to.equal('the process was suspended')
    expect(received).to.deep.equal([])
  })

  it('ends at the look at the link that came too late', async () => {
    now += 15_000
    looks[0]?.()
    expect(await next.promise).to.equal('the process was suspended')
  })
})
