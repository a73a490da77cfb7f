/** Conditions of requests: which status they give a GET, in the order of RFC 9110 §13.2.2. */
import { expect } from 'chai'
import { isListed, statusOn } from '#component/syntax/conditions.ts'

const before = 'Tue, 14 Nov 2023 22:13:19 GMT'
const modified = 'Tue, 14 Nov 2023 22:13:20 GMT'
const later = 'Tue, 14 Nov 2023 22:13:21 GMT'

describe('conditions of a request', () => {
  for (const [headers, strong, weak] of [
    [{}, 200, 200],
    [{ 'if-match': '*' }, 200, 200],
    [{ 'if-match': '"a"' }, 200, 412],
    [{ 'if-match': 'W/"a"' }, 412, 412],
    [{ 'if-match': '"b", "a"' }, 200, 412],
    [{ 'if-match': '"b"' }, 412, 412],
    [{ 'if-match': '' }, 412, 412],
    [{ 'if-unmodified-since': before }, 412, 412],
    [{ 'if-unmodified-since': modified }, 200, 200],
    [{ 'if-unmodified-since': later }, 200, 200],
    [{ 'if-unmodified-since': 'no date' }, 200, 200],
    [{ 'if-match': '"a"', 'if-unmodified-since': before }, 200, 412],
    [{ 'if-none-match': '*' }, 304, 304],
    [{ 'if-none-match': '"a"' }, 304, 304],
    [{ 'if-none-match': 'W/"a"' }, 304, 304],
    [{ 'if-none-match': '"b",, W/"a"' }, 304, 304],
    [{ 'if-none-match': '"b"' }, 200, 200],
    [{ 'if-none-match': '"a' }, 200, 200],
    [{ 'if-none-match': 'a' }, 200, 200],
    [{ 'if-modified-since': before }, 200, 200],
    [{ 'if-modified-since': modified }, 304, 304],
    [{ 'if-modified-since': later }, 304, 304],
    [{ 'if-modified-since': 'no date' }, 200, 200],
    [{ 'if-none-match': '"b"', 'if-modified-since': modified }, 200, 200],
    [{ 'if-match': '"b"', 'if-none-match': '"a"' }, 412, 412],
    [{ 'if-unmodified-since': before, 'if-modified-since': modified }, 412, 412],
    [{ 'if-match': '*', 'if-none-match': '"a"', 'cache-control': 'no-cache' }, 304, 304],
  ] as [Record<string, string>, number, number][]) {
    it(`give ${strong} for a strong tag and ${weak} for a weak one: ${JSON.stringify(headers)}`, () => {
      const statusFor = (etag: string) => statusOn(headers, { etag, 'last-modified': modified })
      expect([statusFor('"a"'), statusFor('W/"a"')]).to.deep.equal([strong, weak])
    })
  }

  for (const [list, isThere] of [
    ['"a"', true],
    ['  "x" ,\t"a"', true],
    ['"a,b"', false],
    ['"x" "a"', false],
    ['w/"a"', false],
    ['""', false],
  ] as const) {
    it(`${isThere ? 'find' : 'do not find'} "a" in ${list}`, () => {
      expect(isListed('"a"', list)).to.equal(isThere)
    })
  }
})
