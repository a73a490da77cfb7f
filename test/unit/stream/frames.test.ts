/** Frames against parsers that others wrote: whatever is put in comes out again. */
import { expect } from 'chai'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import fc from 'fast-check'
import { stringifyJson } from '#component/codec/json.ts'
import { framesOf } from '#component/stream/frames.ts'
import { eventNameProblem } from '#component/syntax/event-stream.ts'

const sse = framesOf['text/event-stream']
const ndjson = framesOf['application/x-ndjson']

/** All that an independent parser reads of a body. */
function parsed(text: string) {
  const events: EventSourceMessage[] = []
  const comments: string[] = []
  const waits: number[] = []
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onComment: (comment) => comments.push(comment),
    onRetry: (ms) => waits.push(ms),
    onError: (error) => {
      throw error
    },
  })
  parser.feed(text)
  return { events, comments, waits }
}

/** Texts in which line ends and other separators are frequent. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
    fc.constantFrom('\n', '\r', '\r\n', '\u2028', '\u2029', '\0', '\ufeff', '\ud800', ':', ' '),
  ),
})
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    anyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(anyText, tie('value'), { maxKeys: 4 }),
  ),
})).value
const anyName = fc.option(
  anyText.filter((text) => eventNameProblem(text) === undefined),
  { nil: undefined },
)
const anyId = fc.option(fc.stringMatching(/^[0-9]{1,16}-[0-9a-f]{6}$/), { nil: undefined })

describe('frames of Server-Sent Events', () => {
  it('give an independent parser the same names, ids and data', () => {
    fc.assert(
      fc.property(anyValue, anyName, anyId, (value, event, id) => {
        const data = stringifyJson(value)
        const frame = { data, ...(event !== undefined && { event }), ...(id && { id }) }
        // decoded as a client reads it: bytes of UTF-8
        const text = Buffer.from(`${sse.event(frame)}${sse.heartbeat}`).toString()
        const { events } = parsed(text)
        expect(events).to.deep.equal([{ id, event: event || undefined, data }])
        expect(JSON.parse(events[0]?.data ?? '')).to.deep.equal(JSON.parse(data))
      }),
      { numRuns: 2000 },
    )
  })

  it('hold one event a frame, whatever stands around them', () => {
    const text = [sse.retry(3127), sse.event({ data: '"a"' }), sse.heartbeat, sse.comment('away')]
    const { events, comments, waits } = parsed(`${text.join('')}${sse.event({ data: '1' })}`)
    expect(events.map(({ data }) => data)).to.deep.equal(['"a"', '1'])
    expect(comments).to.deep.equal(['', 'away'])
    expect(waits).to.deep.equal([3127])
  })
})

describe('frames of NDJSON', () => {
  it('are one JSON object a line with the same names, ids and data', () => {
    fc.assert(
      fc.property(anyValue, anyName, anyId, (value, event, id) => {
        const data = stringifyJson(value)
        const frame = { data, ...(event !== undefined && { event }), ...(id && { id }) }
        const text = ndjson.event(frame)
        expect(text.indexOf('\n')).to.equal(text.length - 1)
        const expected = { ...(id && { id }), ...(event && { event }), data: JSON.parse(data) }
        expect(JSON.parse(text)).to.deep.equal(expected)
      }),
      { numRuns: 2000 },
    )
  })

  it('have an empty line as the heartbeat, and nothing for comments and retry', () => {
    expect([ndjson.heartbeat, ndjson.comment('x'), ndjson.retry(1)]).to.deep.equal(['\n', '', ''])
  })
})
