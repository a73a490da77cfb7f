/** The version that a hash names. */
import { expect } from 'chai'
import type { Entry } from '#component/replica/entry.ts'
import { versionOf } from '#component/replica/history.ts'

const version = (ms: number, hash: string | null): Entry => ({
  kind: 'api_spec',
  id: 'a',
  stamp: { ms, counter: 0, node: 'node-1' },
  parent: null,
  hash,
  document: hash === null ? null : { ms },
})

describe('the version of a hash', () => {
  const versions = [
    version(5, '111111aa'),
    version(4, null),
    version(3, '222222ab'),
    version(2, '222222aa'),
    version(1, '111111aa'),
  ]

  for (const [hash, ms] of [
    ['111111aa', 5],
    ['111111', 5],
    ['222222aa', 2],
    ['222222ab', 3],
  ] as const) {
    it(`named ${hash} is the newest that begins so`, () => {
      expect(versionOf(versions, hash).stamp.ms).to.equal(ms)
    })
  }

  for (const [hash, uri, reason] of [
    ['11111', 'service.error.not_found', 'at least the first 6 characters'],
    ['', 'service.error.not_found', 'at least the first 6 characters'],
    ['333333', 'service.error.not_found', 'no version with this hash'],
    ['222222a', 'wamp.error.invalid_argument', 'several versions begin with these characters'],
  ] as const) {
    it(`named "${hash}" is refused: ${reason}`, () => {
      expect(() => versionOf(versions, hash))
        .to.throw(reason)
        .with.property('uri', uri)
    })
  }
})
