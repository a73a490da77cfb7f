/** What gateways say to each other is read strictly: whatever else comes is nothing. */
import { expect } from 'chai'
import {
  readAnnounced,
  readBuckets,
  readCount,
  readEntry,
  readList,
  readMessage,
  readName,
  readSummary,
} from '#component/sync/sync-messages.ts'

const heartbeat = {
  ...{ node: 'a', boot: 'b-1', seq: 1, now: 5, digest: 'ff', leaving: false },
  ...{ version: '1.0.0', features: ['request'], every: 4800 },
}
const hash = 'ab'.repeat(32)
const stamp = { ms: 5, counter: 0, node: 'a' }
const summary = { kind: 'api_spec', id: 'x', stamp, hash }
const entry = { ...summary, parent: null, document: { id: 'x' } }

describe('a message', () => {
  it('is read with all that it says beside its heartbeat', () => {
    const message = readMessage({ ...heartbeat, more: [1] })
    expect(message).to.deep.equal({ heartbeat, fields: { ...heartbeat, more: [1] } })
  })

  it('is of nobody who leaves when it does not say so', () => {
    const { leaving: _, ...rest } = heartbeat
    expect(readMessage(rest)?.heartbeat.leaving).to.equal(false)
  })

  for (const value of [undefined, null, [], 'x', {}]) {
    it(`is not ${JSON.stringify(value) ?? 'nothing'}`, () => {
      expect(readMessage(value)).to.equal(undefined)
    })
  }

  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    node: [undefined, '', 5, 'A', 'a.b', 'a b', 'a'.repeat(129)],
    boot: [undefined, '', 5],
    seq: [undefined, -1, 0.5, '1', 2 ** 53],
    now: [undefined, -1, 0.5, '1', null],
    digest: [undefined, '', 5],
    leaving: [null, 0, 'no'],
    version: [undefined, '', 5],
    features: [undefined, 'request', {}],
    every: [undefined, -1, 0.5, '4800'],
  }
  for (const [key, values] of Object.entries(wrong)) {
    for (const value of values) {
      if (key === 'leaving' && value === undefined) continue
      it(`does not say ${key}: ${JSON.stringify(value)?.slice(0, 20)}`, () => {
        expect(readMessage({ ...heartbeat, [key]: value })).to.equal(undefined)
      })
    }
  }
})

describe('an entry', () => {
  it('is a document with its hash, or a tombstone with none', () => {
    expect(readEntry(entry)).to.deep.equal(entry)
    const tombstone = { ...entry, hash: null, document: null, parent: stamp }
    expect(readEntry(tombstone)).to.deep.equal(tombstone)
    expect(readEntry({ ...entry, kind: 'realm' })?.kind).to.equal('realm')
  })

  it('may tell who has made it, which is not known where it is no name', () => {
    expect(readEntry({ ...entry, by: 'ada@com.example' })?.by).to.equal('ada@com.example')
    for (const by of [5, '', null, 'x'.repeat(1_001)])
      expect(readEntry({ ...entry, by })).to.deep.equal(entry)
  })

  it('is announced with or without its document', () => {
    expect(readAnnounced(entry)).to.deep.equal({ summary, entry })
    expect(readAnnounced(summary)).to.deep.equal({ summary, entry: undefined })
    expect(readAnnounced({ ...entry, document: 'x' })).to.equal(undefined)
  })

  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    kind: [undefined, 'key', 'toString', 5],
    id: [undefined, '', 5],
    hash: [undefined, 'ab', 5, 'AB'.repeat(32)],
    stamp: [undefined, null, 'now', { ...stamp, ms: -1 }, { ...stamp, counter: 0.5 }],
    parent: [undefined, 'none', { ms: 1, counter: 0 }],
    document: [undefined, null, 'x', []],
  }
  for (const [key, values] of Object.entries(wrong)) {
    for (const value of values) {
      it(`is none with ${key}: ${JSON.stringify(value)}`, () => {
        expect(readEntry({ ...entry, [key]: value })).to.equal(undefined)
      })
    }
  }
  for (const value of [null, 'x', 5, []]) {
    it(`is not ${JSON.stringify(value)}, nor is a name or a summary`, () => {
      expect(readEntry(value)).to.equal(undefined)
      expect(readSummary(value)).to.equal(undefined)
      expect(readName(value)).to.equal(undefined)
      expect(readAnnounced(value)).to.equal(undefined)
    })
  }
})

describe('a list', () => {
  it('is read without what is not understood: newer gateways may know more', () => {
    const list = [summary, { ...summary, kind: 'key' }, 5]
    expect(readList(list, readSummary)).to.deep.equal([summary])
    expect(readList({}, readSummary)).to.equal(undefined)
    expect(readList(undefined, readSummary)).to.equal(undefined)
  })

  it('of buckets has names of two hex digits', () => {
    expect(readBuckets({ '0f': 'x' })).to.deep.equal({ '0f': 'x' })
    for (const value of [{ g0: 'x' }, { '0f': 5 }, { '0f1': 'x' }, [], 'x', undefined]) {
      expect(readBuckets(value)).to.equal(undefined)
    }
  })

  it('is counted in whole numbers', () => {
    expect(readCount(0)).to.equal(0)
    for (const value of [-1, 0.5, '1', Number.NaN, undefined]) {
      expect(readCount(value)).to.equal(undefined)
    }
  })
})
