/** Calls and publications with the trace context of their request: as an argument that the document names, and in options for the embedded router. */
import { expect } from 'chai'
import type { Action, ActionFields, Run } from '#component/action/action.ts'
import { wampCallAction } from '#component/action/wamp-call/perform.ts'
import { wampPublishAction } from '#component/action/wamp-publish/perform.ts'
import { tracedAttempts } from '#component/action/watching/traced-attempts.ts'
import type { RequestTrace } from '#component/telemetry/telemetry.ts'
import { WampError } from '#component/wamp/session.ts'
import { callResult, ManualClock, runOf, SessionDouble } from './doubles.ts'

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const trace: RequestTrace = {
  context: {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    isSampled: true,
    isRandom: false,
    tracestate: 'vendor=1',
  },
  sampledId: undefined,
  attempt: () => undefined,
  over: () => undefined,
}
const fields = { procedure: 'com.example.p', topic: 'com.example.t', args: [1], kwargs: { a: 1 } }

type Sending = readonly [name: string, action: typeof wampCallAction, run: Partial<Run>]
const actions: readonly Sending[] = [
  ['a call', wampCallAction, {}],
  ['a call with progressive results', wampCallAction, { wantsProgress: true }],
  ['a publication', wampPublishAction, {}],
]

for (const [name, actionOf, more] of actions) {
  /** What the session was asked to send. */
  const sent = async (
    changes: Partial<Run>,
    { passes = false, ...given }: ActionFields & { readonly passes?: boolean } = {},
  ) => {
    const session = new SessionDouble({ ...callResult(), publication_id: 1 })
    session.passesTraceContext = passes
    const action: Action = actionOf({
      ...{ sessions: { session: () => session }, clock: new ManualClock() },
      allowedDynamicUris: [],
      watch: tracedAttempts(undefined),
    })
    await action.perform({ ...fields, ...given }, runOf({ ...more, ...changes }).run)
    const [asked] = session.asked
    const { acknowledge: _, ...options } = asked?.options ?? {}
    return { args: asked?.args, kwargs: asked?.kwargs ?? {}, options }
  }

  describe(`${name} in a distributed trace`, () => {
    it('carries the context under the name that the document gives, and its own arguments', async () => {
      expect(await sent({ trace, traceKwargs: '_trace' })).to.deep.equal({
        args: [1],
        kwargs: { a: 1, _trace: { traceparent, tracestate: 'vendor=1' } },
        options: {},
      })
    })

    it('carries in each attempt the context that its watch gives', async () => {
      const session = new SessionDouble(new WampError('wamp.error.no_such_procedure'), {
        ...callResult(),
        publication_id: 1,
      })
      const clock = new ManualClock()
      const performed = actionOf({
        ...{ sessions: { session: () => session }, clock, allowedDynamicUris: [] },
        watch: {
          begin: (_run, tried) => ({
            context: { ...trace.context, spanId: `b7ad6b716920333${tried}` },
            ready: () => undefined,
            over: () => undefined,
          }),
        },
      }).perform(
        fields,
        runOf({
          ...more,
          ...{ trace, traceKwargs: 't' },
          attempts: { timeout: 1000, connect_timeout: 500, retries: 1, retry_timeout: 5000 },
        }).run,
      )
      await clock.advance(100)
      await performed
      const contexts = session.asked.map(({ kwargs }) => kwargs.t)
      expect(contexts).to.deep.equal(
        [0, 1].map((tried) => ({
          traceparent: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b716920333${tried}-01`,
          tracestate: 'vendor=1',
        })),
      )
    })

    it('has nothing but the context where it has no arguments', async () => {
      const { kwargs } = await sent({ trace, traceKwargs: '_trace' }, { kwargs: '' })
      expect(Object.keys(kwargs)).to.deep.equal(['_trace'])
    })

    it('carries none where the document names no argument', async () => {
      const { kwargs, options } = await sent({ trace })
      expect({ kwargs, options }).to.deep.equal({ kwargs: { a: 1 }, options: {} })
    })

    it('carries it in options where the router passes it on, whatever the document says', async () => {
      const { kwargs, options } = await sent({ trace }, { passes: true, options: { _mine: 1 } })
      expect(kwargs).to.deep.equal({ a: 1 })
      expect(options).to.deep.equal({
        _mine: 1,
        _traceparent: traceparent,
        _tracestate: 'vendor=1',
      })
    })

    for (const [state, changes] of [
      ['in a trace', { trace }],
      ['while traces are off', {}],
    ] as const) {
      it(`passes none of the data of a request for a context ${state}`, async () => {
        const forged = { traceparent: 'forged' }
        const { kwargs, options } = await sent(
          { ...changes, traceKwargs: '_trace' },
          {
            passes: true,
            kwargs: { a: 1, _trace: forged },
            options: { _traceparent: 'forged', _tracestate: 'forged=1' },
          },
        )
        expect(JSON.stringify({ kwargs, options })).to.not.include('forged')
        expect(Object.keys(kwargs)).to.deep.equal('trace' in changes ? ['a', '_trace'] : ['a'])
      })
    }
  })
}
