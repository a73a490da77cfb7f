/** Which content coding a client wants: the rows that are no RFC's example were made by hand and agree with `negotiator` 1 with its option `preferred`. */
import { expect } from 'chai'
import { preferredCoding } from '#component/syntax/content-coding.ts'

const codings = ['zstd', 'br', 'gzip'] as const

/** Accept-Encoding and the coding; undefined: none. */
const rows: readonly (readonly [field: string, coding: string | undefined])[] = [
  // RFC 9110 §12.5.3
  ['compress, gzip', 'gzip'],
  ['', undefined],
  ['*', 'zstd'],
  ['compress;q=0.5, gzip;q=1.0', 'gzip'],
  ['gzip;q=1.0, identity; q=0.5, *;q=0', 'gzip'],
  // browsers
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip, deflate, br', 'br'],
  ['gzip, deflate', 'gzip'],
  ['br;q=1.0, gzip;q=0.8, *;q=0.1', 'br'],
  // weights
  ['gzip;q=0.9, br;q=0.8', 'gzip'],
  ['gzip;q=0.001', 'gzip'],
  ['gzip;q=0', undefined],
  ['gzip;q=0.000', undefined],
  ['br;q=0, *', 'zstd'],
  ['zstd;q=0, br;q=0, *', 'gzip'],
  ['zstd;q=0, br;q=0, gzip;q=0, *', undefined],
  ['*;q=0', undefined],
  ['*;q=0, br', 'br'],
  ['*;q=0.5, gzip;q=0.4', 'zstd'],
  // identity
  ['identity', undefined],
  ['identity;q=0', undefined],
  ['identity;q=0, *', 'zstd'],
  ['gzip, identity', 'gzip'],
  ['gzip;q=0.5, identity', undefined],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['gzip;q=0.5, identity;q=0.4', 'gzip'],
  ['gzip;q=0.5, br;q=0.2', 'gzip'],
  ['gzip;q=0.5, *;q=0.8, zstd;q=0, br;q=0', undefined],
  // names
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['x-gzip;q=0.2, gzip;q=0', 'gzip'],
  ['brotli', undefined],
  ['gzipped', undefined],
  ['deflate', undefined],
  // spaces, and what is malformed
  ['  gzip\t;\tq=0.5 ,, ', 'gzip'],
  ['gzip;q=2', undefined],
  ['gzip;q=-1', undefined],
  ['gzip;q=', undefined],
  ['gzip;level=9;q=0.5', 'gzip'],
  [';q=1', undefined],
  ['gzip;q=0.5, gzip;q=0.9, br;q=0.7', 'gzip'],
]

describe('the content coding of an answer', () => {
  for (const [field, coding] of rows) {
    it(`for "${field}" is ${coding ?? 'none'}`, () => {
      expect(preferredCoding(field, codings)).to.equal(coding)
    })
  }

  it('is the first of the list where several have one weight', () => {
    expect(preferredCoding('gzip, br, zstd', ['gzip', 'br'])).to.equal('gzip')
    expect(preferredCoding('gzip, br', [])).to.equal(undefined)
  })
})
