/** Request ids: UUIDv7 that sort by time, and are given once. */
import { expect } from 'chai'
import { isRequestId, requestId } from '#http/request-id.ts'

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const now = 1_790_000_000_123

/** The time of a UUIDv7 (RFC 9562 §5.7). */
const timeOf = (id: string) => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)

describe('a request id', () => {
  it('is a UUIDv7 of its time', () => {
    for (const time of [now, now + 1, 1]) {
      const id = requestId(time)
      expect(id).to.match(uuidV7)
      expect(timeOf(id)).to.equal(time)
      expect(isRequestId(id)).to.equal(true)
    }
  })

  it('is given once, however many there are in a millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => requestId(now + 5))
    expect(new Set(ids).size).to.equal(ids.length)
    for (const id of ids) expect(id).to.match(uuidV7)
  })

  it('sorts by when it was given, within its millisecond, too', () => {
    const ids = [now + 7, now + 7, now + 7, now + 8, now + 8, now + 9].map(requestId)
    expect(ids.toSorted()).to.deep.equal(ids)
  })

  it('shares nothing but its time with those of another millisecond', () => {
    const [one = '', other = ''] = [requestId(now + 10), requestId(now + 11)]
    expect(one.slice(19)).to.not.equal(other.slice(19))
  })
})
