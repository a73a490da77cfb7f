/** A forward streams both ways, with back-pressure, and nothing is left when somebody goes away. */
import { PassThrough, Readable } from 'node:stream'
import { expect } from 'chai'
import { streamOf } from '#component/action/action.ts'
import { ServiceError } from '#component/errors.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { runOf } from '#test/unit/action/doubles.ts'
import { attempts, bodyOf, closeAll, failureOf, forwarder, perform, upstream } from './upstreams.ts'

describe('forward streams', () => {
  afterEach(closeAll)

  const size = 20_000_000

  it('20 MB down with back-pressure', async () => {
    let written = 0
    const host = await upstream((_request, response) => {
      const chunk = Buffer.alloc(100_000)
      const more = (): void => {
        while (written < size) {
          written += chunk.length
          if (!response.write(chunk)) {
            response.once('drain', more)
            return
          }
        }
        response.end()
      }
      more()
    })
    const outcome = await perform({ host }, attempts({ timeout: 4000 }))
    const body = streamOf(outcome)
    if (!body) throw new TypeError('not streamed')
    let before = -1
    await untilHolds(() => {
      const isStill = before === written
      before = written
      return isStill
    })
    expect(written).to.be.lessThan(size)
    expect(body.readableLength).to.be.lessThan(200_000)
    let read = 0
    for await (const chunk of body) read += chunk.length
    expect(read).to.equal(size)
  })

  it('20 MB up with back-pressure', async () => {
    let isReading = false
    let read = 0
    const host = await upstream(async (request, response) => {
      await untilHolds(() => isReading)
      for await (const chunk of request) read += chunk.length
      response.end(String(read))
    })
    let produced = 0
    const stream = new Readable({
      read() {
        produced += 100_000
        this.push(Buffer.alloc(100_000))
        if (produced >= size) this.push(null)
      },
    })
    const performed = perform(
      { host },
      { method: 'post', rawBody: { stream, length: size }, ...attempts({ timeout: 4000 }) },
    )
    await untilHolds(() => produced > 0)
    let before = -1
    await untilHolds(() => {
      const isStill = before === produced
      before = produced
      return isStill
    })
    expect(produced).to.be.lessThan(size)
    isReading = true
    expect(await bodyOf(await performed)).to.equal(String(size))
  })

  it('no more after the client goes away during a download', async () => {
    let closed = 0
    const host = await upstream((_request, response) => {
      response.on('close', () => {
        closed += 1
      })
      response.write('beginning')
    })
    const { run, cancel } = runOf(attempts({}))
    const outcome = await forwarder().perform({ host }, run)
    const body = streamOf(outcome)
    cancel()
    await untilHolds(() => closed === 1)
    expect(body?.destroyed).to.equal(true)
  })

  it('no more after the reader destroys the answer', async () => {
    let closed = 0
    const host = await upstream((_request, response) => {
      response.on('close', () => {
        closed += 1
      })
      response.write('beginning')
    })
    streamOf(await perform({ host }))?.destroy()
    await untilHolds(() => closed === 1)
  })

  it('no more after the client goes away during an upload', async () => {
    let read = 0
    let closed = 0
    const host = await upstream((request) => {
      request.on('error', () => {})
      request.on('close', () => {
        closed += 1
      })
      request.on('data', (chunk) => {
        read += chunk.length
      })
    })
    const stream = new PassThrough()
    stream.write('beginning')
    const { run, cancel } = runOf({
      method: 'post',
      rawBody: { stream, length: 100 },
      ...attempts({}),
    })
    const performed = forwarder().perform({ host }, run)
    await untilHolds(() => read > 0)
    cancel()
    expect(await performed).to.have.nested.property('error.error_uri', 'wamp.error.canceled')
    await untilHolds(() => closed === 1)
    expect(stream.destroyed).to.equal(true)
  })

  it('no request for a client that went away while connecting', async () => {
    const { run, cancel } = runOf(attempts({ connect_timeout: 60 }))
    const performed = forwarder([], () => {}).perform({ host: 'slow.example' }, run)
    cancel()
    expect(await performed).to.have.nested.property('error.error_uri', 'wamp.error.canceled')
  })

  it('no more of a body that passes a limit, and says which', async () => {
    const stream = new PassThrough()
    const limit = new ServiceError('service.error.payload_too_large', 'x')
    const host = await upstream((request) => {
      request.on('error', () => {})
      request.once('data', () => stream.destroy(limit))
    })
    stream.write('beginning')
    const performed = perform({ host }, { method: 'post', rawBody: { stream, length: undefined } })
    expect(await failureOf(performed)).to.equal(limit)
  })

  it('an answer that comes before the upload has ended', async () => {
    const host = await upstream((_request, response) => {
      response.writeHead(413, { connection: 'close' })
      response.end('too large')
    })
    const stream = new PassThrough()
    stream.write('beginning')
    const outcome = await perform({ host }, { method: 'post', rawBody: { stream, length: 1000 } })
    expect(outcome).to.have.nested.property('error.status_code', 413)
    expect(await bodyOf(outcome)).to.equal('too large')
  })
})
