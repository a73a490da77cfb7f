/** What becomes of PostgreSQL's refusals and of URLs that are none; no server is needed. test/cluster has the contract. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { openStore } from '#component/store/database.ts'
import { impatientClock } from '#test/contract/session/fast-clock.ts'

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )

/** ErrorResponse (PostgreSQL: Message Formats). */
function errorResponse(code: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mno\0\0`)
  const length = Buffer.alloc(4)
  length.writeInt32BE(fields.length + 4)
  return Buffer.concat([Buffer.from('E'), length, fields])
}

describe('a PostgreSQL database that lets nobody in', () => {
  let server: Server
  let connections: number
  let answer: (socket: Socket) => void
  let url: string
  beforeEach(async () => {
    connections = 0
    server = createServer((socket) => {
      connections++
      socket.on('error', () => undefined)
      socket.once('data', () => answer(socket))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    url = `postgres://me:s3cret%40word@127.0.0.1:${(server.address() as AddressInfo).port}/app`
  })
  afterEach(() => server.close())

  const place = () => `database app at 127.0.0.1:${new URL(url).port}: the database`

  for (const [code, message, isWaitedFor] of [
    ['08004', 'cannot be reached', true],
    ['25006', 'is read-only', true],
    ['28P01', 'refused the login of the gateway', false],
    ['28000', 'refused the login of the gateway', false],
    ['3D000', 'does not exist', false],
    ['53200', 'is out of resources', true],
    ['53300', 'has too many connections', true],
    ['57P01', 'is stopping or starting', true],
    ['57P03', 'is stopping or starting', true],
    ['58030', 'had a system error, such as a failed disk', false],
    ['XX001', 'is corrupt', false],
  ] as const) {
    it(`is unavailable with SQLSTATE ${code}, ${isWaitedFor ? 'after a minute' : 'at once'}`, async () => {
      answer = (socket) => socket.end(errorResponse(code))
      const told: string[] = []
      const opened = openStore(url, impatientClock(), (text) => void told.push(text))
      const expected = `${place()} ${message} (${code})`
      expect(await failure(opened)).to.include({
        uri: 'service.error.unavailable',
        message: expected,
      })
      expect(told).to.deep.equal(isWaitedFor ? [expected] : [])
      expect(connections > 1).to.equal(isWaitedFor)
    })
  }

  it('passes on what is no failure of the world, as it is', async () => {
    answer = (socket) => socket.end(errorResponse('42501'))
    const error = await failure(openStore(url, impatientClock()))
    expect(error).to.include({ code: '42501' }).and.not.to.have.property('uri')
    expect(connections).to.equal(1)
  })

  it('is unavailable when it hangs up, and when it speaks something else', async () => {
    for (const text of ['', 'HTTP/1.1 400 Bad Request\r\n\r\n']) {
      answer = (socket) => socket.end(text)
      expect(await failure(openStore(url, impatientClock()))).to.have.property(
        'message',
        `${place()} cannot be reached`,
      )
    }
  })

  it('never shows the password', async () => {
    const told: string[] = []
    for (const text of [
      errorResponse('28P01'),
      errorResponse('57P03'),
      errorResponse('42501'),
      '',
    ]) {
      answer = (socket) => socket.end(text)
      const error = await failure(openStore(url, impatientClock(), (line) => void told.push(line)))
      expect(inspect(error, { depth: Infinity })).to.not.match(/s3cret/i)
    }
    expect(told.join()).to.not.match(/s3cret/i)
  })
})

describe('store.url', () => {
  for (const url of [
    'postgres:',
    'postgres:db',
    'postgres:/db',
    'postgres://me:s3cret@host:99999/db',
    'postgres://me:s3cret#word@host/db',
    'postgres://me:12/s3cret@host/db',
    'postgres://me:12?s3cret@host/db',
    'postgres://me@host/db?password=s3cret',
    'postgres://me@host/db?x=1&password=s3cret',
    'postgres://me:s3cret@host/db?sslrootcert=/nowhere',
    'postgres://me:s3cret@host/db?sslnegotiation=x',
  ]) {
    it(`is not taken when it is ${url}`, async () => {
      const error = await failure(openStore(url, systemClock))
      expect(error).to.be.instanceOf(TypeError)
      expect(error)
        .to.have.property('message')
        .that.matches(/^store\.url: /)
      expect(inspect(error, { depth: Infinity })).to.not.match(/s3cret/)
    })
  }
})
