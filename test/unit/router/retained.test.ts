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

  const long = 'x'.repeat(600)
  const tooLarge: Readonly<Record<string, readonly unknown[]>> = {
    'a text': [[`${long}${long}`]],
    'two texts': [[long, long]],
    bytes: [[new Uint8Array(1_001)]],
    'texts of two UTF-16 units': [['😀'.repeat(501)]],
    'texts in maps and lists': [[[{ a: { b: [long] } }]], { c: [long] }],
  }
  for (const [title, payload] of Object.entries(tooLarge)) {
    it(`is refused before it is encoded when there is no room for it: ${title}`, () => {
      const events = new RetainedEvents(10, new Quota(1_000))
      const [args = [], kwargs = {}] = payload as [unknown[]?, Record<string, unknown>?]
      const publish = (...more: unknown[]): boolean => {
        const message = [16, 1, {}, 'com.example.a', args, { ...kwargs, more }] as PublishMessage
        return events.tryKeep({ publication: 7, details: {}, message })
      }
      // the encoder throws at a function
      expect(publish(() => 1)).to.equal(false)
      expect(publish()).to.equal(false)
    })
  }

  it('takes the room of the last one of its topic', () => {
    const budget = new Quota(2_000)
    const events = new RetainedEvents(10, budget)
    const keep = (topic: string, length: number) => {
      const message: PublishMessage = [16, 1, {}, topic, ['x'.repeat(length)]]
      return events.tryKeep({ publication: 7, details: {}, message })
    }
    expect([keep('a', 1_200), keep('b', 1_200), keep('a', 1_300)]).to.deep.equal([
      true,
      false,
      true,
    ])
    const used = budget.used
    expect([keep('a', 1_990), keep('a', 9_000)]).to.deep.equal([false, false])
    expect(budget.used).to.equal(used)
  })
})
