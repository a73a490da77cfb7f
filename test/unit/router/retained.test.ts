/** Retained events: kept as bytes, and given back as they were published. */
import { expect } from 'chai'
import { Quota } from '#component/limits/quota.ts'
import type { PublishMessage } from '#component/router/messages.ts'
import { RetainedEvents } from '#component/router/retained.ts'

describe('a retained event', () => {
  it('is given back as it was, whatever a peer may publish', () => {
    const events = new RetainedEvents(10, new Quota(1_000_000))
    let deep: unknown = 1
    for (let level = 0; level < 80; level++) deep = [deep]
    const args = [null, 2n ** 64n - 1n, new Uint8Array([1]), { '1': null }, deep]
    const message: PublishMessage = [16, 1, { retain: true }, 'com.example.a', args]
    expect(events.tryKeep({ publication: 7, details: {}, message })).to.equal(true)
    const kept = [...events.of({ uri: 'com.example', match: 'prefix' })]
    expect(kept).to.deep.equal([{ publication: 7, details: {}, message }])
  })
})
