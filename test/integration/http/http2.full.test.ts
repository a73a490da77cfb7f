/** HTTP/2 beside HTTP/1.1: the path of each row with the method, the fields and the body of every row; LONG: compressed, too, 3,978 requests in all. */
import { expect } from 'chai'
import { rounds } from '#test/support/running/rounds.ts'
import { type Both, openBoth, type Row, rows } from './both-versions.ts'

const list = Object.values(rows)
// `*` is a target of OPTIONS alone (RFC 9110 §7.1), and nghttp2 resets others
const paths = new Set(list.map(({ path }) => path).filter((path) => path !== '*'))
/** What each request has beside its own fields. */
const more: readonly Row['headers'][] = [
  {},
  { 'accept-encoding': 'gzip' },
  { 'accept-encoding': 'br, *;q=0', origin: 'https://a.example' },
]

describe('HTTP/2, by all paths and all requests', function () {
  this.timeout(300_000)
  let both: Both

  before(async () => {
    both = await openBoth({ 'gateway.compress': 'true' })
  })
  after(() => both?.stop())

  for (const path of paths) {
    it(`answers ${path} as HTTP/1.1 does`, async () => {
      for (const fields of more.slice(0, rounds(1, more.length))) {
        for (const row of list) {
          const request = { ...row, path, headers: { ...fields, ...row.headers } }
          const [first, second] = await Promise.all([
            both.overHttp1(request),
            both.overHttp2(request),
          ])
          expect(second, JSON.stringify({ ...request, body: undefined })).to.deep.equal(first)
        }
      }
    })
  }
})
