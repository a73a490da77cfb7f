/** The frames of short messages, as the receiver of `ws` reads them. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { expect } from 'chai'
import * as ws from 'ws'
import { shortFrame } from '#component/router/short-frame.ts'

/** A member of `ws` that @types/ws does not know. */
const { Receiver } = ws as unknown as {
  readonly Receiver: new (options: { readonly isServer: boolean }) => Writable
}

/** What a client reads. */
async function readBy(frame: Uint8Array | undefined): Promise<readonly [Buffer, boolean]> {
  const receiver = new Receiver({ isServer: false })
  const message = once(receiver, 'message')
  receiver.write(frame)
  return (await message) as [Buffer, boolean]
}

const texts = ['', '[1]', 'a'.repeat(125), 'a'.repeat(126), 'ä'.repeat(63), '€'.repeat(4096)]

describe('a short message to a peer behind a WebSocket', () => {
  for (const text of texts) {
    it(`is one frame of text: ${text.length} characters`, async () => {
      const [data, isBinary] = await readBy(shortFrame(text))
      expect([data.toString(), isBinary]).to.deep.equal([text, false])
    })
  }

  for (const length of [0, 125, 126, 4096]) {
    it(`is one frame of bytes: ${length}`, async () => {
      const bytes = new Uint8Array(length).fill(0xfe)
      const [data, isBinary] = await readBy(shortFrame(bytes))
      expect([data.equals(bytes), isBinary]).to.deep.equal([true, true])
    })
  }

  it('is none where it is longer', () => {
    expect(shortFrame('a'.repeat(4097))).to.equal(undefined)
    expect(shortFrame(new Uint8Array(4097))).to.equal(undefined)
  })
})
