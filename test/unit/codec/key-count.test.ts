/** Keys are counted in each form before values are built: those of one map, and the different ones of a whole text. */
import { encode as encodeCbor } from 'cbor-x'
import { expect } from 'chai'
import { decodeCbor } from '#component/codec/cbor.ts'
import { parseJson, parsingJson } from '#component/codec/json.ts'
import { bodyRules, documentRules, peerRules } from '#component/codec/limits.ts'
import { decodeMsgpack, encodeMsgpack } from '#component/codec/msgpack.ts'
import { ServiceError } from '#component/errors.ts'
import { runAtOnce } from '#component/yielding.ts'

/** A map of so many keys that no other map of the same text has. */
const mapOf = (keys: number, mark = ''): Record<string, number> =>
  Object.fromEntries(Array.from({ length: keys }, (_, index) => [`k${mark}-${index}`, index]))

const mapsOf = (maps: number, keys: number) =>
  Array.from({ length: maps }, (_, index) => mapOf(keys, `${index}`))

const forms = {
  json: {
    write: (value: unknown) => Buffer.from(JSON.stringify(value)),
    read: parseJson,
  },
  'json in steps': {
    write: (value: unknown) => Buffer.from(JSON.stringify(value)),
    read: (bytes: Buffer, rules = bodyRules) => runAtOnce(parsingJson(bytes, rules)),
  },
  'json with escapes': {
    write: (value: unknown) => Buffer.from(JSON.stringify(value).replaceAll('k', '\\u006b')),
    read: parseJson,
  },
  msgpack: { write: encodeMsgpack, read: decodeMsgpack },
  cbor: { write: encodeCbor, read: decodeCbor },
} as const

const inOneMap = 'more than 10000 keys in one map'
const inAll = 'more than 20000 different keys'

/** What is read by the rules of bodies and of peers alike. */
const cases: readonly (readonly [string, unknown, string | undefined])[] = [
  ['10,000 keys in one map', mapOf(10_000), undefined],
  ['10,001 keys in one map', mapOf(10_001), inOneMap],
  ['10,001 keys in a map deep down', [{ a: [mapOf(10_001)] }], inOneMap],
  ['20,000 different keys in two maps', mapsOf(2, 10_000), undefined],
  ['20,001 different keys in three maps', [...mapsOf(2, 10_000), { one: 1 }], inAll],
  ['20,010 different keys in 2,001 maps', mapsOf(2_001, 10), inAll],
  ['20,001 maps of one key each', mapsOf(20_001, 1), inAll],
  ['60,000 keys with 30 names', Array.from({ length: 2_000 }, () => mapOf(30)), undefined],
  ['a map in a map 30 times, 700 keys each', nestedMaps(30, 700), inAll],
]

function nestedMaps(depth: number, keys: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = { ...mapOf(keys, `${level}`), inner: value }
  return value
}

function problemOf(read: () => unknown): string | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    expect(error.uri).to.equal('service.error.payload_too_large')
    return error.message.replace(/ at position .*/, '')
  }
}

describe('keys of bodies and messages', () => {
  for (const [form, { write, read }] of Object.entries(forms)) {
    for (const [title, value, problem] of cases) {
      it(`are ${problem ? 'too many' : 'read'} in ${form}: ${title}`, () => {
        const bytes = Buffer.from(write(value))
        for (const rules of [bodyRules, peerRules])
          expect(problemOf(() => read(bytes, rules))).to.equal(problem)
      })
    }
  }

  it('end a map of unannounced size', () => {
    const pairs = Array.from({ length: 10_001 }, (_, index) =>
      Buffer.concat([encodeCbor(`k${index}`), encodeCbor(1)]),
    )
    const bytes = Buffer.concat([Buffer.from([0xbf]), ...pairs, Buffer.from([0xff])])
    expect(problemOf(() => decodeCbor(bytes, peerRules))).to.equal(inOneMap)
  })

  it('are counted before the rest of a text is looked at', () => {
    const text = `${JSON.stringify(mapOf(10_001)).slice(0, -1)},"open`
    expect(problemOf(() => parseJson(text))).to.equal(inOneMap)
  })

  it('may be more in a document', () => {
    const text = JSON.stringify(mapOf(100_000))
    expect(Object.keys(parseJson(text, documentRules) as object)).to.have.length(100_000)
    expect(problemOf(() => parseJson(JSON.stringify(mapOf(100_001)), documentRules))).to.equal(
      'more than 100000 keys in one map',
    )
  })
})
