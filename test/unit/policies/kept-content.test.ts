/** The body of a reply that is kept. */
import { Readable } from 'node:stream'
import { expect } from 'chai'
import type { ReplyBody } from '#component/gateway/exchange.ts'
import { readContent } from '#component/policies/cache/kept-content.ts'

describe('the content that is kept of a reply', () => {
  /** In a block of memory that Node shares among small buffers. */
  const small = () => Buffer.from('small')
  const rows: readonly { readonly of: string; readonly body: ReplyBody }[] = [
    { of: 'bytes', body: { kind: 'bytes', bytes: small() } },
    { of: 'a stream', body: { kind: 'stream', stream: Readable.from([small()]), length: 5 } },
    { of: 'a value', body: { kind: 'value', value: 'small', type: 'application/msgpack' } },
  ]
  for (const { of, body } of rows) {
    it(`holds no other memory than its own: ${of}`, async () => {
      const read = await readContent({ body }, 1000, small)
      const content = 'content' in read ? read.content : undefined
      if (!(content instanceof Uint8Array)) throw new TypeError('no bytes')
      expect(Buffer.from(content).toString()).to.equal('small')
      expect(content.buffer.byteLength).to.equal(content.length)
    })
  }
})
