/** The parser that node:http keeps for a connection, taken from it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Socket } from 'node:net'
import { expect } from 'chai'
import { releaseParser } from '#http/limits/parser.ts'

describe('the parser of a connection', () => {
  it('is taken from node:http once, and the answer is sent to its end', async () => {
    const released: boolean[] = []
    const server = createServer((request, response) => {
      const { socket } = request
      response.shouldKeepAlive = false
      response.write('head,')
      request.resume().once('end', () => {
        released.push(releaseParser(socket), releaseParser(socket))
        response.end('end')
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const answer = await fetch(`http://127.0.0.1:${port}`)
    expect(await answer.text()).to.equal('head,end')
    expect(released).to.deep.equal([true, false])
    server.close()
    await once(server, 'close')
  })

  it('is not looked for in a socket that is no connection of node:http', () => {
    const socket = new Socket()
    expect(releaseParser(socket)).to.equal(false)
    expect(socket.listenerCount('data')).to.equal(0)
  })
})
