/** The body of a stream of events keeps the order in which it is written, whatever it is written in. */
import { Buffer } from 'node:buffer'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import type { Sink } from '#component/stream/sink.ts'
import { Http1 } from '#http/transport/http1.ts'

/** A request whose bytes are not counted. */
const owner = { holdOnly: () => true, onClosed: undefined }

/** The timeout of each connection; milliseconds. */
const timeout = 5_000

/** What a client reads of a stream of events. @param write is given the sink once the head has left */
async function bodyOf(write: (sink: Sink, socket: Socket | null) => void): Promise<string> {
  const server = createServer((request, response) => {
    const { socket } = response
    new Http1(request, response).pipeEvents(owner, (sink) => {
      sink.write('head,')
      setImmediate(() => {
        write(sink, socket)
        sink.end()
      })
    })
  })
  server.setTimeout(timeout)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    return await (await fetch(`http://127.0.0.1:${port}`)).text()
  } finally {
    server.close()
  }
}

describe('the body of a stream of events', () => {
  it('has bytes behind the text that was written before them in the same tick', async () => {
    const body = await bodyOf((sink) => {
      sink.write(Buffer.from('1'))
      sink.write('2')
      sink.write(Buffer.from('3'))
      sink.write('4')
      sink.write(Buffer.from('5'))
    })
    expect(body).to.equal('head,12345')
  })

  it('has the same bytes wherever they are written', async () => {
    const shared = Buffer.from('shared,')
    const body = await bodyOf((sink) => {
      sink.write(shared)
      sink.write(shared)
      sink.write('own,')
      sink.write(shared)
    })
    expect(body).to.equal('head,shared,shared,own,shared,')
  })

  it('needs no timer of its connection before the last bytes', async () => {
    const timeouts: (number | undefined)[] = []
    await bodyOf((sink, socket) => {
      timeouts.push(socket?.timeout)
      sink.end()
      timeouts.push(socket?.timeout)
    })
    expect(timeouts).to.deep.equal([0, timeout])
  })
})
