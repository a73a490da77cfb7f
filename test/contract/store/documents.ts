/** Versions of documents for the tests of stores, and values that are easily lost on the way to a database and back. */
import { type Document, type Entry, hashOf } from '#component/replica/entry.ts'
import type { Stamp } from '#component/replica/stamp.ts'

/** A stamp of which only the time matters, if not told otherwise. */
export const stampOf = (ms: number, node = 'n1', counter = 0): Stamp => ({ ms, counter, node })

/** A version of a document, made at a time; what else it says may be changed. */
export function version(id: string, ms: number, changes: Partial<Entry> = {}): Entry {
  const document = { id, text: `of ${ms}` }
  const stamp = stampOf(ms)
  const entry = { kind: 'api_spec', id, stamp, parent: null, hash: hashOf(document), document }
  return { ...(entry as Entry), ...changes }
}

/** The deletion of a document. */
export const tombstone = (id: string, ms: number, changes: Partial<Entry> = {}): Entry =>
  version(id, ms, { hash: null, document: null, ...changes })

/** The first version of a document `a`. */
export const documentVersion = (document: Document): Entry =>
  version('a', 1, { document, hash: hashOf(document) })

/** What a document may say: name ─▶ value. */
export const values: Readonly<Record<string, unknown>> = {
  'the greatest int64': 2n ** 63n - 1n,
  'the least int64': -(2n ** 63n),
  'the greatest uint64': 2n ** 64n - 1n,
  'the greatest safe integer': Number.MAX_SAFE_INTEGER,
  'a fraction': 0.1,
  'a small number': 5e-324,
  'a large number': 1.797e308,
  nothing: null,
  'lists and maps': [[], {}, [[1, true]], { '': { ' ': false } }],
  'a key __proto__': JSON.parse('{"__proto__": {"x": 1}, "constructor": 1}'),
  NUL: 'a\u0000b',
  'control characters': '\u0001\u0007\u001b\u007f\r\n\t',
  'half a surrogate pair': 'x\ud800y',
  'letters of all kinds': 'üñ漢字𝄞👩‍🚀\u202e\ufeff\ufffd',
  'quotes and backslashes': `'";--\\ \\u0000 $1 ? :x {{x}}`,
  'a long text': 'ä'.repeat(300_000),
}
