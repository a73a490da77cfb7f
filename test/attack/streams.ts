/** Streams of events that are opened and dropped, that nobody reads, and that ask for everything that has been. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { Attack, Target } from './attack.ts'
import { openSocket, pause } from './sockets.ts'

const agent = new Agent({ keepAlive: true, maxSockets: 4 })

/** Publishes a text to all streams; whether it was taken. */
async function publish({ url, paths }: Target, text: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const outgoing = request(`${url}${paths.publish}`, { method: 'POST', agent, headers })
  outgoing.on('error', () => undefined)
  outgoing.end(JSON.stringify(text))
  const [answer] = await once(outgoing, 'response').catch(() => [])
  answer?.resume()
}

const ask = ({ paths }: Target, lastEventId = '') =>
  `GET ${paths.events} HTTP/1.1\r\nHost: x\r\n${lastEventId && `Last-Event-ID: ${lastEventId}\r\n`}\r\n`

/** Keeps so many clients busy until the signal: each begins anew when it has ended. */
const clients = (count: number, signal: AbortSignal, client: (number: number) => Promise<void>) =>
  Promise.all(
    Array.from({ length: count }, async (_, number) => {
      while (!signal.aborted) await client(number)
    }),
  )

export const streamsDropped: Attack = {
  name: 'streams-dropped',
  about: '60 clients that open streams of events and drop them at the head, without a pause',
  async run(target, signal) {
    await clients(60, signal, async () => {
      const socket = openSocket(target)
      socket.write(ask(target))
      // the head, or the end of a connection that was refused
      await Promise.race([once(socket, 'data'), once(socket, 'close'), pause(1000, signal)]).catch(
        () => undefined,
      )
      socket.destroy()
    })
  },
}

/** Bytes of an event. */
const large = 100_000

export const streamsUnread: Attack = {
  name: 'streams-unread',
  about:
    '60 streams that are sent 100 kB events 20 times a second and read none of it, each opened again after 3 s',
  async run(target, signal) {
    const text = 'a'.repeat(large)
    const publishing = clients(1, signal, async () => {
      await publish(target, text)
      await pause(50, signal)
    })
    const reading = clients(60, signal, async () => {
      const socket = openSocket(target).pause()
      socket.write(ask(target))
      // it does not notice when it is cut: that would take a read
      await pause(3000, signal)
      socket.destroy()
    })
    await Promise.all([publishing, reading])
  },
}

export const streamsReplayed: Attack = {
  name: 'streams-replayed',
  about:
    '100 streams that name events which never were, pipelined requests behind them, and are sent 1,000 kept events',
  async run(target, signal) {
    for (let count = 0; count < 1000; count++) await publish(target, 'a'.repeat(500))
    await clients(100, signal, async (number) => {
      const socket = openSocket(target)
      const foreign = `${number}-${Math.random().toString(16).slice(2, 8)}`
      socket.write(ask(target, foreign) + ask(target, foreign))
      let bytes = 0
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        if (bytes > 500_000) socket.destroy()
      })
      await Promise.race([once(socket, 'close'), pause(5000, signal)]).catch(() => undefined)
      socket.destroy()
    })
  },
}

export const streamsLeft: Attack = {
  name: 'streams-left',
  about: '60 clients that open a stream of a new topic each time and leave it, without a pause',
  async run(target, signal) {
    let topic = 0
    await clients(60, signal, async () => {
      const socket = openSocket(target)
      topic += 1
      socket.write(`GET ${target.paths.topics}/t${topic} HTTP/1.1\r\nHost: x\r\n\r\n`)
      await Promise.race([once(socket, 'data'), once(socket, 'close'), pause(1000, signal)]).catch(
        () => undefined,
      )
      socket.destroy()
    })
  },
}
