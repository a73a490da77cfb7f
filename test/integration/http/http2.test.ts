/** HTTP/2 beside HTTP/1.1: the same requests have the same responses. */
import { expect } from 'chai'
import { type Both, openBoth, rows } from './both-versions.ts'

describe('HTTP/2', () => {
  let both: Both

  before(async () => {
    both = await openBoth()
  })
  after(() => both?.stop())

  describe('answers as HTTP/1.1 does', () => {
    for (const [what, row] of Object.entries(rows)) {
      it(`${what}: ${row.status === 0 ? 'a response that is broken off' : row.status}`, async () => {
        const [first, second] = await Promise.all([both.overHttp1(row), both.overHttp2(row)])
        expect(second).to.deep.equal(first)
        expect(second.status).to.equal(row.status)
      })
    }
  })
})
