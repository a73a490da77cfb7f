/** The texts of a loaded document are those that its value has, however they are made. */
import { expect } from 'chai'
import fc from 'fast-check'
import { stringifyJson } from '#component/codec/json.ts'
import { loadingDocument } from '#component/replica/document-text.ts'
import { type Document, hashOf } from '#component/replica/entry.ts'
import { envelopeOf, writingEnvelope } from '#component/replica/envelope.ts'
import { announceChange } from '#component/sync/changes.ts'
import { openSealed, sealingBy } from '#component/sync/sealing.ts'
import { runAtOnce } from '#component/yielding.ts'

const load = (value: unknown) => runAtOnce(loadingDocument(value))

const paths = Object.fromEntries(
  Array.from({ length: 3_000 }, (_, at) => [`/😀${at}`, { get: { body: 'é'.repeat(30) } }]),
)

/** Documents whose texts are made in different ways: short and long, nested and flat, with what JSON.stringify writes otherwise. */
const documents: Readonly<Record<string, Document>> = {
  'nothing but an id': { id: 'a' },
  'keys in no order': { versions: {}, name: 'n', id: 'a', host: '_', meta: { b: 1, a: 2 } },
  'numbers as keys': { id: 'a', versions: { 2: {}, 1: {}, '01': {} } },
  'great integers and floats': { id: 'a', versions: { v: { n: [2n ** 64n - 1n, 1e20, -0] } } },
  'lone surrogates, and a key __proto__': JSON.parse(
    '{"id":"\\ud800","versions":{"__proto__":{}}}',
  ),
  'values that are not there': { id: 'a', meta: undefined, versions: { v: { paths: undefined } } },
  'versions as a list': { id: 'a', versions: [{ version: '1', paths: [[], {}, [[]]] }] },
  'more than one piece to hash': { id: 'a', versions: { v: { paths } } },
}

describe('the texts of a loaded document', () => {
  for (const [what, document] of Object.entries(documents)) {
    const { value, text, hash } = load(document)

    it(`are those of its value: ${what}`, () => {
      expect(text).to.equal(stringifyJson(value))
      expect(hash).to.equal(hashOf(value as Document))
    })

    it(`are in those of its envelope: ${what}`, () => {
      const envelope = envelopeOf(value as Document, hash, ['request', 'cors'])
      const written = runAtOnce(writingEnvelope(envelope, load(document)))
      expect(written.text).to.equal(stringifyJson(envelope))
      expect(written.hash).to.equal(hashOf(envelope))
    })
  }

  it('are those of its value, whatever JSON it is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 7 }), (document) => {
        const { value, text, hash } = load(document)
        expect(text).to.equal(stringifyJson(value))
        expect(hash).to.equal(hashOf(value as Document))
      }),
    )
  })

  it('leave the ts out that answers have added', () => {
    expect(load({ id: 'a', ts: 7, versions: { ts: { ts: 8 } } }).text).to.equal(
      '{"id":"a","versions":{"ts":{"ts":8}}}',
    )
  })

  it('are announced to other gateways as the entry itself is', async () => {
    const { value, text, hash } = load(documents['keys in no order'])
    const stamp = { ms: 7, counter: 0, node: 'n' }
    const document = value as Document
    const entry = { kind: 'api_spec', id: 'a', stamp, parent: null, hash, document } as const
    const sealing = sealingBy('a key of the cluster')
    const opened: unknown[] = []
    const wire = {
      publish: async (
        topic: string,
        _clear: object,
        content: Record<string, unknown>,
        _withinMs?: number,
        texts?: Record<string, string>,
      ) => void opened.push(openSealed(sealing, topic, sealing.seal(content, topic, texts), 1e6)),
    }
    const log = { warn: () => undefined }
    await announceChange(wire as never, log as never, 'n', entry)
    await announceChange(wire as never, log as never, 'n', entry, text)
    expect(opened).to.deep.equal([{ entry }, { entry }])
  })
})
