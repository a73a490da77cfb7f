/** The fields traceparent and tracestate: which are read, and what is passed on. */
import { expect } from 'chai'
import { readTraceContext, traceparentOf } from '#component/telemetry/trace-context.ts'

describe('readTraceContext', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03'

  it('reads the ids, the flags and the tracestate', () => {
    expect(readTraceContext(traceparent, 'congo=t61rcWkgMzE,rojo=1')).to.deep.equal({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      isSampled: true,
      isRandom: true,
      tracestate: 'congo=t61rcWkgMzE,rojo=1',
    })
  })

  it('is read again from what is written', () => {
    const context = readTraceContext(traceparent, undefined)
    expect(context && traceparentOf(context)).to.equal(traceparent)
  })
})
