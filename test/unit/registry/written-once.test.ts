/** A load passes on the text that it has made of its document. */
import { expect } from 'chai'
import type { Entry, Texts } from '#component/replica/entry.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { document, registryWith } from './doubles.ts'

/** Keeps the texts that come with the entries. */
class WatchedStore extends MemoryStore {
  readonly texts: unknown[] = []

  override replace(entries: readonly Entry[], _yieldTurn?: unknown, texts?: Texts) {
    this.texts.push(...entries.map((entry) => texts?.get(entry)))
    return super.replace(entries)
  }
}

describe('the text of a loaded document', () => {
  it('is what the store and the other gateways get', async () => {
    const told: unknown[] = []
    const store = new WatchedStore()
    const { registry, replica } = await registryWith({ store })
    replica.onLocalChange = (entries, texts) =>
      void told.push(...entries.map((entry) => texts.get(entry)))
    const text = JSON.stringify(document('a'))
    await registry.load({ ...document('a'), ts: 7 })
    expect([store.texts, told]).to.deep.equal([[text], [text]])
  })
})
