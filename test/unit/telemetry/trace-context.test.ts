/** The fields traceparent and tracestate: which are read, and what is passed on; the rows are those of the test suite of the W3C, and more. */
import { expect } from 'chai'
import fc from 'fast-check'
import { readTraceContext, traceparentOf } from '#component/telemetry/trace-context.ts'
import cases from '#test/cases/trace-context.json' with { type: 'json' }

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03'

const hexadecimal = (digits: number) =>
  fc
    .string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: digits, maxLength: digits })
    .filter((text) => /[^0]/.test(text))

describe('readTraceContext', () => {
  for (const { what, traceparent: text, isRead } of cases.traceparent) {
    it(`${isRead ? 'reads' : 'refuses'} a traceparent with ${what}`, () => {
      const context = readTraceContext(text, 'foo=1')
      expect(context?.traceId).to.equal(isRead ? '12345678901234567890123456789012' : undefined)
      expect(context?.tracestate).to.equal(isRead ? 'foo=1' : undefined)
    })
  }

  for (const { what, tracestate, passed } of cases.tracestate) {
    it(`${passed === null ? 'drops' : 'passes on'} a tracestate with ${what}`, () => {
      const context = readTraceContext(traceparent, tracestate)
      expect(context).to.deep.include({ tracestate: passed ?? undefined })
    })
  }

  it('reads nothing of a tracestate alone', () => {
    expect(readTraceContext(undefined, 'foo=1')).to.equal(undefined)
  })

  for (const [flags, isSampled, isRandom] of [
    ['00', false, false],
    ['01', true, false],
    ['02', false, true],
    ['03', true, true],
    ['fc', false, false],
    ['ff', true, true],
  ] as const) {
    it(`reads the flags ${flags}`, () => {
      const context = readTraceContext(traceparent.slice(0, -2) + flags, undefined)
      expect(context).to.deep.equal({
        traceId: '0af7651916cd43dd8448eb211c80319c',
        spanId: 'b7ad6b7169203331',
        ...{ isSampled, isRandom, tracestate: undefined },
      })
    })
  }

  it('reads what is written', () => {
    fc.assert(
      fc.property(
        hexadecimal(32),
        hexadecimal(16),
        fc.boolean(),
        fc.boolean(),
        (traceId, spanId, isSampled, isRandom) => {
          const context = { traceId, spanId, isSampled, isRandom, tracestate: undefined }
          expect(readTraceContext(traceparentOf(context), undefined)).to.deep.equal(context)
        },
      ),
    )
  })

  it('writes nothing that it would not read, whatever it has read', () => {
    const near = fc
      .tuple(fc.nat(54), fc.string({ unit: 'binary', maxLength: 3 }))
      .map(([at, text]) => traceparent.slice(0, at) + text + traceparent.slice(at + text.length))
    const states = fc.string({ unit: fc.constantFrom(...'ab@=, \t1A*'), maxLength: 40 })
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), states, (text, tracestate) => {
        const context = readTraceContext(text, tracestate)
        if (context === undefined) return
        expect(readTraceContext(traceparentOf(context), context.tracestate)).to.deep.equal(context)
      }),
    )
  })
})
