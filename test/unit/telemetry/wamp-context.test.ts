/** Trace contexts in WAMP messages: what is added, what is passed on, and what is taken away. */
import { expect } from 'chai'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import {
  addTraceDetails,
  withoutTraceDetails,
  withTraceArgument,
  withTraceAttributes,
} from '#component/telemetry/wamp-context.ts'

const context: TraceContext = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  isSampled: true,
  isRandom: false,
  tracestate: 'vendor=1',
}
const bare: TraceContext = { ...context, tracestate: undefined }
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

describe('the argument of a trace context', () => {
  it('is a map of the header fields, beside the others', () => {
    const kwargs = Object.freeze({ a: 1 })
    expect(withTraceArgument(kwargs, '_trace', context)).to.deep.equal({
      a: 1,
      _trace: { traceparent, tracestate: 'vendor=1' },
    })
    expect(withTraceArgument(kwargs, '_trace', bare)).to.deep.equal({
      a: 1,
      _trace: { traceparent },
    })
  })

  it('replaces what a request has put there, and without a context removes it', () => {
    const kwargs = Object.freeze({ a: 1, _trace: { traceparent: 'forged' } })
    expect(withTraceArgument(kwargs, '_trace', bare)._trace).to.deep.equal({ traceparent })
    expect(withTraceArgument(kwargs, '_trace', undefined)).to.deep.equal({ a: 1 })
  })

  it('costs no copy where nothing is to be removed', () => {
    const kwargs = { a: 1 }
    expect(withTraceArgument(kwargs, '_trace', undefined)).to.equal(kwargs)
  })
})

describe('the options of a message with a trace context', () => {
  it('hold it beside the others, and replace one that is there', () => {
    const options = { disclose_me: true, _traceparent: 'forged', _tracestate: 'forged=1' }
    expect(withTraceAttributes(options, context)).to.deep.equal({
      disclose_me: true,
      _traceparent: traceparent,
      _tracestate: 'vendor=1',
    })
    expect(withTraceAttributes({}, bare)).to.deep.equal({ _traceparent: traceparent })
  })
})

/** Options of a message, and what the details of the receiver hold of them. */
const passed: readonly (readonly [title: string, options: object, details?: object])[] = [
  ['both', { _traceparent: traceparent, _tracestate: 'a=1' }],
  ['a traceparent alone', { _traceparent: traceparent }],
  ['a traceparent of a later version', { _traceparent: `cc${traceparent.slice(2)}-more` }],
  ['no tracestate without a traceparent', { _tracestate: 'a=1' }, {}],
  ['no malformed traceparent', { _traceparent: `${traceparent}-x`, _tracestate: 'a=1' }, {}],
  ['no traceparent of zeros', { _traceparent: `00-${'0'.repeat(32)}-b7ad6b7169203331-01` }, {}],
  [
    'no traceparent of 1,000 characters',
    { _traceparent: `cc${traceparent.slice(2)}-${'x'.repeat(1000)}` },
    {},
  ],
  ['no traceparent that is no text', { _traceparent: [traceparent] }, {}],
  [
    'no malformed tracestate',
    { _traceparent: traceparent, _tracestate: 'a' },
    { _traceparent: traceparent },
  ],
  [
    'no tracestate of 1,000 characters',
    { _traceparent: traceparent, _tracestate: `a=${'x'.repeat(1000)}` },
    { _traceparent: traceparent },
  ],
  [
    'no tracestate that is no text',
    { _traceparent: traceparent, _tracestate: {} },
    { _traceparent: traceparent },
  ],
  ['no other option', { _other: 1, traceparent, disclose_me: true }, {}],
]

describe('the details of a message', () => {
  for (const [title, options, expected = options] of passed) {
    it(`hold of the options ${title}`, () => {
      const details = {}
      addTraceDetails(details, options as Record<string, unknown>)
      expect(details).to.deep.equal(expected)
    })
  }

  it('lose their trace context, and nothing else, where others see them', () => {
    const details = { publisher: 1, _traceparent: traceparent, _tracestate: 'a=1' }
    expect(withoutTraceDetails(details)).to.deep.equal({ publisher: 1 })
    const plain = { publisher: 1 }
    expect(withoutTraceDetails(plain)).to.equal(plain)
  })
})
