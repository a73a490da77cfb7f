/** The reader of Server-Sent Events that tests use tells events, comments and endings apart. */
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { openEventStream } from '#test/support/event-stream.ts'

const events = { 'content-type': 'text/event-stream' }

const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/whole': (response) => {
    response.writeHead(200, events)
    response.end(
      'retry: 150\n\nid: 1\ndata: "a"\n\n:\n\n: away\n\nid: 2\nevent: b\ndata: 2\n\nid: 3\n\n',
    )
  },
  '/cut': (response) => {
    response.writeHead(200, events)
    response.write('data: 1\n\ndata: 2\n', () => response.destroy())
  },
  '/wrong': (response) => {
    response.writeHead(200, events)
    response.end('dat: 1\n\n')
  },
  '/refused': (response) => {
    response.writeHead(403, { 'content-type': 'application/json' })
    response.end('{}')
  },
}

describe('the reader of Server-Sent Events', () => {
  let server: Server
  const open = (path: string) =>
    openEventStream(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)

  before(async () => {
    server = createServer(({ url = '' }, response) => answers[url]?.(response))
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  after(() => server.close())

  it('reads events, comments and the time to retry', async () => {
    const stream = await open('/whole')
    expect(await stream.next()).to.include({ id: '1', event: undefined, data: '"a"' })
    expect(await stream.next()).to.include({ id: '2', event: 'b', data: '2' })
    expect(await stream.ended).to.equal(true)
    expect(stream).to.include({ status: 200, retry: 150, lastEventId: '3' })
    expect(stream.comments).to.deep.equal(['', 'away'])
    expect(stream.errors).to.deep.equal([])
  })

  it('tells a body that is cut, and nothing of its last event', async () => {
    const stream = await open('/cut')
    expect((await stream.next()).data).to.equal('1')
    expect(await stream.ended).to.equal(false)
    const error = await stream.next().catch((cause: Error) => cause)
    expect(error).to.be.an('error').with.property('message', 'the stream has ended')
  })

  it('tells what is no frame', async () => {
    const stream = await open('/wrong')
    await stream.ended
    expect(stream.errors).to.deep.equal(['Unknown field "dat"'])
  })

  it('keeps the body of an answer that is no stream', async () => {
    const stream = await open('/refused')
    await stream.ended
    expect(stream).to.include({ status: 403, text: '{}' })
  })
})
