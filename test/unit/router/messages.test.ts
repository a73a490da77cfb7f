/** Whatever peers send, in whatever order: no failure inside the router, and nothing left behind when they are gone. */
import { expect } from 'chai'
import fc from 'fast-check'
import { describeViolation } from '#component/router/messages.ts'
import { Router } from '#component/router/router.ts'
import type { Link, WampMessage } from '#component/wamp/link.ts'
import { realm1Policy } from './open-router.ts'

const uri = fc.constantFrom('a', 'a.b', 'a.', '', 'a..b', 'wamp.session.list', 'wamp.session.kill')
const id = fc.integer({ min: 1, max: 4 })
const anything = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.constant([]))
const options = fc.dictionary(
  fc.constantFrom(
    ...['match', 'invoke', 'mode', 'progress', 'receive_progress', 'acknowledge', 'retain'],
    ...['get_retained', 'exclude', 'eligible', 'exclude_me', 'disclose_me', 'roles', 'reason'],
    ...['_traceparent', '_tracestate'],
  ),
  fc.oneof(
    fc.constantFrom('prefix', 'wildcard', 'last', 'roundrobin', 'kill', 'skip'),
    fc.constant(true),
    anything,
  ),
)
const message = fc.oneof(
  fc.tuple(fc.constant(64), id, options, uri),
  fc.tuple(fc.constant(66), id, id),
  fc.tuple(fc.constant(48), id, options, uri, fc.array(anything), options),
  fc.tuple(fc.constant(49), id, options),
  fc.tuple(fc.constant(70), id, options, fc.array(anything)),
  fc.tuple(fc.constant(8), fc.constant(68), id, options, uri),
  fc.tuple(fc.constant(32), id, options, uri),
  fc.tuple(fc.constant(34), id, id),
  fc.tuple(fc.constant(16), id, options, uri, fc.array(anything)),
  fc.tuple(fc.constant(6), options, uri),
  fc.tuple(fc.constant(1), fc.constant('realm1'), fc.constant({ roles: {} })),
  fc.array(anything) as fc.Arbitrary<unknown[]>,
)

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('describeViolation', () => {
  it('judges anything without failing', () => {
    fc.assert(
      fc.property(fc.anything(), (value) =>
        ['string', 'undefined'].includes(typeof describeViolation(value)),
      ),
    )
  })
})

describe('The router', () => {
  it('survives whatever its peers send', async () => {
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const step = fc.tuple(
      fc.nat(3),
      fc.oneof({ weight: 20, arbitrary: message }, { weight: 1, arbitrary: fc.constant('close') }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(step as fc.Arbitrary<[number, unknown[] | 'close']>, { maxLength: 60 }),
        async (steps) => {
          const router = new Router({ policy: realm1Policy, onError })
          const links: Link[] = []
          const open = () => {
            const link = router.openLink()
            link.send([1, 'realm1', { roles: { callee: { features: { call_canceling: true } } } }])
            return link
          }
          for (let count = 0; count < 4; count++) links.push(open())
          await settled()
          for (const [who, what] of steps) {
            if (what === 'close') {
              links[who]?.close(1000, '')
              links[who] = open()
            } else links[who]?.send(what as WampMessage)
            await null
          }
          await settled()
          const witness = router.openLink()
          const received: WampMessage[] = []
          witness.onMessage = (one) => received.push(one)
          witness.send([1, 'realm1', { roles: {} }])
          await settled()
          for (const link of links) link.close(1000, '')
          await settled()
          witness.send([48, 1, {}, 'wamp.registration.list'])
          witness.send([48, 2, {}, 'wamp.subscription.list'])
          witness.send([48, 3, {}, 'wamp.session.count'])
          await settled()
          const nothing = { exact: [], prefix: [], wildcard: [] }
          const results = received.slice(-3).map((one) => (one[3] as unknown[])[0])
          expect(results).to.deep.equal([nothing, nothing, 1])
          expect(errors).to.deep.equal([])
          witness.close(1000, '')
          await settled()
          expect(router.sessionCount).to.equal(0)
          await router.close()
        },
      ),
      { numRuns: 300 },
    )
  })
})
