/** What every Session promises about payloads and URIs: what arrives unchanged, and what never leaves. */
import { expect } from 'chai'
import type { Payload } from '#component/wamp/session.ts'
import { failureOf, freshUri, nothing, type Pair } from './support.ts'

/** Payloads that clients or serializers lose or bend. */
const payloads: readonly (readonly [string, Payload])[] = [
  ['nothing', nothing],
  ['one null', { args: [null], kwargs: {} }],
  ['false, 0 and an empty text', { args: [false, 0, ''], kwargs: {} }],
  ['an empty list and an empty map', { args: [[], {}], kwargs: {} }],
  ['kwargs only', { args: [], kwargs: { a: 1 } }],
  ['keys of Object.prototype', { args: [], kwargs: { constructor: 1, toString: 2 } }],
  ['keys that a client takes for its own', { args: [], kwargs: { argsList: 1, argsDict: 2 } }],
  ['2^53 + 1', { args: [9007199254740993n], kwargs: {} }],
  ['the least and the greatest of 64 bits', { args: [-(2n ** 63n), 2n ** 64n - 1n], kwargs: {} }],
  ['integers of 33 to 53 bits', { args: [2 ** 32, -(2 ** 40), 2 ** 53 - 1], kwargs: {} }],
  ['fractions', { args: [0.1, -1.5e300], kwargs: {} }],
  ['bytes', { args: [new Uint8Array([0, 1, 255])], kwargs: {} }],
  ['text beyond ASCII', { args: ['ä€😀\u2028'], kwargs: { ключ: 'значение' } }],
]

/** Adds the tests. */
export function describePayloads(pair: Pair): void {
  for (const [what, payload] of payloads) {
    it(`carries ${what} to a callee and back`, async () => {
      const uri = freshUri()
      const seen: Payload[] = []
      await pair.other.register(uri, (received) => {
        seen.push(received)
        return received
      })
      const { args, kwargs } = await pair.session.call(uri, payload, {}, 2000).result
      expect(seen).to.deep.equal([payload])
      expect({ args, kwargs }).to.deep.equal(payload)
    })
  }

  for (const [what, uri] of [
    ['white space', 'com.example.a b'],
    ['a hash', 'com.example#a'],
    ['an empty component', 'com..example'],
    ['nothing', ''],
    ['a control that Python takes for white space', 'com.example.\u0085a'],
    ['a lone surrogate', 'com.example.\udc00'],
  ] as const) {
    it(`refuses a URI of ${what} before sending, without harm to others`, async () => {
      for (const promise of [
        pair.session.call(uri, nothing, {}, 2000).result,
        pair.session.publish(uri, nothing, {}, 2000),
        pair.session.register(uri, () => nothing),
        pair.session.subscribe(uri, () => undefined),
      ]) {
        const error = await failureOf(promise)
        expect(error.error_uri).to.equal('wamp.error.invalid_uri')
        expect(error.wasSent).to.equal(false)
      }
      expect(pair.session.isOpen).to.equal(true)
    })
  }

  for (const [what, value, error_uri] of [
    ['too large', 'x'.repeat(20_000_000), 'wamp.error.payload_size_exceeded'],
    ['too large in bytes only', '€'.repeat(6_000_000), 'wamp.error.payload_size_exceeded'],
    ['nested too deeply', nested(100), 'wamp.error.invalid_argument'],
    ['of more than 64 bits', 2n ** 64n, 'wamp.error.invalid_argument'],
    ['a lone surrogate', { a: 'x\ud800' }, 'wamp.error.invalid_argument'],
    ['a key with a lone surrogate', { '\ud800': 1 }, 'wamp.error.invalid_argument'],
    ['a function', () => 1, 'wamp.error.invalid_argument'],
    ['a Date', new Date(0), 'wamp.error.invalid_argument'],
  ] as const) {
    it(`refuses a payload that is ${what} before sending, without harm to others`, async () => {
      const uri = freshUri()
      await pair.other.register(uri, () => ({ args: ['ok'], kwargs: {} }))
      const neighbour = pair.session.call(uri, nothing, {}, 2000).result
      for (const promise of [
        pair.session.call(uri, { args: [value], kwargs: {} }, {}, 2000).result,
        pair.session.publish(uri, { args: [], kwargs: { value } }, {}, 2000),
      ]) {
        const error = await failureOf(promise)
        expect(error.error_uri).to.equal(error_uri)
        expect(error.wasSent).to.equal(false)
      }
      expect((await neighbour).args).to.deep.equal(['ok'])
      expect((await pair.session.call(uri, nothing, {}, 2000).result).args).to.deep.equal(['ok'])
    })
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}
