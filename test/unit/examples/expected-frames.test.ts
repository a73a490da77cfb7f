/** What is told of a stream whose frames are not those that an example expects. */
import { expect } from 'chai'
import { unmet } from '#component/examples/expectations.ts'
import type { SentFrame } from '#component/explain/rehearsal.ts'
import type { JsonMap } from '#component/syntax/values.ts'

const frames: readonly SentFrame[] = [
  { id: '1-abc', event: 'order', data: { id: 7, total: 2n ** 60n } },
  { data: 'text' },
]

/** A check that every value fails but one that is the schema itself. */
const equals = (schema: unknown, value: unknown) =>
  schema === value ? [] : [{ path: '', message: 'does not fit' }]

const told = (expected: JsonMap, found: readonly SentFrame[] | undefined = frames) => {
  const stream = { status: 200, headers: {}, body: '', actions: [], errorCode: undefined }
  return unmet(expected, { ...stream, frames: found }, '', equals).map(
    ({ path, message }) => `${path}: ${message}`,
  )
}

describe('the frames that an example expects', () => {
  for (const [what, expected] of [
    ['all members', [frames[0], frames[1]]],
    ['only the members that are named', [{ event: 'order' }, { data: 'text' }]],
    ['members that a frame lacks', [{}, { id: null, event: null }]],
    ['a schema', [{}, { data_matches: 'text' }]],
  ] as const) {
    it(`hold with ${what}`, () => {
      expect(told({ frames: expected })).to.deep.equal([])
    })
  }

  for (const [what, expected, ...lines] of [
    [
      'another member of the data',
      [{ data: { id: 8, total: 2n ** 60n } }, {}],
      '/frames/0/data/id: expected 8, found 7',
    ],
    ['another name', [{ event: 'x' }, {}], '/frames/0/event: expected "x", found "order"'],
    ['a name that is not there', [{}, { event: 'x' }], '/frames/1/event: expected "x", found null'],
    ['a schema', [{}, { data_matches: 7 }], '/frames/1/data_matches: the data: does not fit'],
    ['a frame more', [{}, {}, { id: '3' }], '/frames/2: expected {"id":"3"}, found no more frames'],
    ['a frame less', [{}], '/frames: expected 1 frames, found 2: the next one is {"data":"text"}'],
    [
      'none',
      [],
      '/frames: expected 0 frames, found 2: the next one is {"id":"1-abc","event":"order","data":{"id":7,"total":1152921504606846976}}',
    ],
  ] as const) {
    it(`do not hold: ${what}`, () => {
      expect(told({ frames: expected })).to.deep.equal(lines)
    })
  }

  it('are not those of an answer that is no stream', () => {
    const expected = { frames: [], body: '' }
    const stream = { status: 404, headers: {}, body: '', actions: [], errorCode: undefined }
    const problems = unmet(expected, { ...stream, frames: undefined }, '', equals)
    expect(problems).to.deep.equal([
      { path: '/frames', message: 'expected a stream, found another response of status 404' },
    ])
  })

  it('are the body of a stream, which has no other', () => {
    expect(told({ body: '', body_matches: true })).to.deep.equal([
      '/body: expected a body, found a stream, whose frames are compared with "frames"',
      '/body_matches: expected a body, found a stream, whose frames are compared with "frames"',
    ])
  })
})
