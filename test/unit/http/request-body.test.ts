/** How a large body is read from its socket. */
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { RequestBody } from '#http/body/request-body.ts'

const limits = { body_max_bytes: 2_000_000, body_read_bytes: 1_000, body_read_seconds: 5_000 }
const piece = Buffer.alloc(65_536, 'a')

/** A request body whose pieces have all arrived. */
function bodyOf(pieces: number, hold: (bytes: number) => void = () => undefined) {
  const request = Readable.from(Array.from({ length: pieces }, () => piece))
  const body = new RequestBody(
    request,
    { 'transfer-encoding': 'chunked' },
    systemClock,
    hold,
    () => undefined,
  )
  return { request, body }
}

describe('RequestBody', () => {
  it('reads all of a body of many pieces', async () => {
    const { body } = bodyOf(20)
    expect((await body.read(limits)).equals(Buffer.alloc(20 * 65_536, 'a'))).to.equal(true)
  })

  it('lets other requests have their turn every 256 kB', async () => {
    const { body } = bodyOf(20)
    let turns = 0
    let isRead = false
    const count = () => {
      turns++
      if (!isRead) setImmediate(count)
    }
    setImmediate(count)
    await body.read(limits)
    isRead = true
    expect(turns).to.be.within(4, 8)
  })

  it('reads no more of a body that is refused for overload', async () => {
    let held = 0
    const { request, body } = bodyOf(20, (bytes) => {
      held += bytes
      if (held > 4 * 65_536) throw new ServiceError('service.error.unavailable', 'full')
    })
    const refused = await Promise.resolve(body.read(limits)).catch((error: unknown) => error)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(refused).to.be.instanceOf(ServiceError)
    expect([request.isPaused(), held]).to.deep.equal([true, 5 * 65_536])
  })
})
