/** The media types of streams, and what an event may be named. */
import { expect } from 'chai'
import { eventNameProblem, isStreamType, streamTypes } from '#component/syntax/event-stream.ts'

describe('names of events', () => {
  const own = ['gap', 'end', 'error', 'result', 'snapshot']
  for (const name of [...own, 'a\nb', 'a\rb', 'a\0', '\ud800', 'x'.repeat(256)]) {
    it(`refuse ${JSON.stringify(name).slice(0, 20)}`, () => {
      expect(eventNameProblem(name)).to.be.a('string')
    })
  }

  for (const name of ['', 'notice', 'ends', 'a b: c', 'ü\u2028', 'x'.repeat(255)]) {
    it(`admit ${JSON.stringify(name).slice(0, 20)}`, () => {
      expect(eventNameProblem(name)).to.equal(undefined)
    })
  }
})

describe('types of streams', () => {
  it('are two, Server-Sent Events first', () => {
    expect(streamTypes).to.deep.equal(['text/event-stream', 'application/x-ndjson'])
    expect(streamTypes.every(isStreamType)).to.equal(true)
    expect([undefined, 'application/json'].some(isStreamType)).to.equal(false)
  })
})
