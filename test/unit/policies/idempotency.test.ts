/** The field Idempotency-Key: which texts are keys, and which are refused. */
import { expect } from 'chai'
import { readKey } from '#component/policies/idempotency/plan.ts'

const uuid = '8e03978e-40d5-43dd-bc93-6894a57f9324'

describe('an Idempotency-Key', () => {
  for (const [field, key] of [
    [`"${uuid}"`, uuid],
    [uuid, uuid],
    ['"a b, c;d"', 'a b, c;d'],
    ['"a\\"b\\\\c"', 'a"b\\c'],
    ['aGVsbG8+/w==', 'aGVsbG8+/w=='],
    ['a', 'a'],
    [`"${'k'.repeat(255)}"`, 'k'.repeat(255)],
    ['k'.repeat(255), 'k'.repeat(255)],
    // 255 characters, 510 as they are written
    [`"${'\\"'.repeat(255)}"`, '"'.repeat(255)],
  ] as const) {
    it(`${field.slice(0, 40)} is a key`, () => {
      expect(readKey(field)).to.equal(key)
    })
  }

  for (const field of [
    '',
    '""',
    '"a',
    'a"',
    '"a"b"',
    '"a\\b"',
    '"a\\"',
    '"a";version=1',
    'a;version=1',
    'a, b',
    'a,b',
    '"a", "b"',
    'a b',
    '"\u00e9"',
    '\u00e9',
    '"a\tb"',
    'a\\b',
    'k'.repeat(256),
    `"${'k'.repeat(256)}"`,
  ]) {
    it(`${JSON.stringify(field).slice(0, 40)} is none`, () => {
      expect(readKey(field)).to.equal(undefined)
    })
  }
})
