/** A WebSocket relay in front of a router that notes the messages of its clients; they must speak JSON. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'

/** A relay. */
export interface Recorder {
  readonly url: string
  /** Every WAMP message that went to the router, in order. */
  readonly sent: readonly (readonly unknown[])[]
  stop(): void
}

/** Opens a relay to the router at a URL. */
export async function openRecorder(target: string): Promise<Recorder> {
  const sent: (readonly unknown[])[] = []
  const server = createServer()
  const relay = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? '' })
  relay.on('connection', (client) => {
    const router = new WebSocket(target, [client.protocol])
    const opened = once(router, 'open')
    client.on('message', async (data, isBinary) => {
      sent.push(JSON.parse(String(data)) as readonly unknown[])
      await opened
      router.send(data, { binary: isBinary })
    })
    router.on('message', (data, isBinary) => client.send(data, { binary: isBinary }))
    client.once('close', () => router.terminate())
    router.once('close', () => client.terminate())
    router.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`,
    sent,
    stop() {
      for (const client of relay.clients) client.terminate()
      server.close()
    },
  }
}
