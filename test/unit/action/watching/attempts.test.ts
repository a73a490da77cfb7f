/** What actions tell of their attempts. */
import { expect } from 'chai'
import type { CallStream, Run } from '#component/action/action.ts'
import { wampCallAction } from '#component/action/wamp-call/perform.ts'
import { wampPublishAction } from '#component/action/wamp-publish/perform.ts'
import type { ActionTarget } from '#component/action/watching/action-target.ts'
import type { AttemptWatch } from '#component/action/watching/attempt-watch.ts'
import { ServiceError } from '#component/errors.ts'
import { nowhere } from '#component/metrics/place.ts'
import { type SessionSource, WampError } from '#component/wamp/session.ts'
import {
  callResult,
  ManualClock,
  runOf,
  SessionDouble,
  settled,
} from '#test/unit/action/doubles.ts'

/** Keeps what it is told. */
function watching() {
  const told: string[] = []
  const watch: AttemptWatch = {
    begin({ target }, tried) {
      told.push(`${target.type} ${tried}`)
      return {
        context: undefined,
        ready: () => told.push('ready'),
        over: ({ error, reason }) => {
          const of = reason === undefined ? 'of a peer' : 'of the gateway'
          told.push(error ? `${error.error_uri} ${of}` : 'ok')
        },
      }
    },
  }
  return { told, watch }
}

const target: ActionTarget = {
  type: 'wamp_call',
  ...{ text: 'com.example.p', literal: 'com.example.p' },
  ...{ api: 'com.example.test', version: '1.0', served: nowhere, route: '/x' },
}
const attempts = { timeout: 1000, connect_timeout: 500, retries: 1, retry_timeout: 5000 }

/** Performs a call. */
function perform(session: SessionDouble, changes: Partial<Run> = {}, source?: SessionSource) {
  const { told, watch } = watching()
  const clock = new ManualClock()
  const sessions = source ?? { session: () => session }
  const { run, cancel } = runOf({ target, ...changes })
  const action = wampCallAction({ sessions, clock, watch, allowedDynamicUris: [] })
  const performed = action.perform({ procedure: 'com.example.p' }, run)
  return { told, clock, cancel, performed }
}

const lost = () => new WampError('wamp.error.net_failure', { wasSent: false, reason: 'lost' })

describe('an attempt', () => {
  for (const [title, answer, end] of [
    ['a result', callResult(), 'ok'],
    ['an ERROR', new WampError('com.example.error'), 'com.example.error of a peer'],
    ['a loss', lost(), 'wamp.error.net_failure of the gateway'],
  ] as const) {
    it(`is told with ${title}`, async () => {
      const { told, performed } = perform(new SessionDouble(answer))
      await performed
      expect(told).to.deep.equal(['wamp_call 0', 'ready', end])
    })
  }

  it('is told where no session can be had', async () => {
    const source: SessionSource = { session: () => Promise.reject(lost()) }
    const { told, performed } = perform(new SessionDouble(), {}, source)
    await performed
    expect(told).to.deep.equal(['wamp_call 0', 'wamp.error.net_failure of the gateway'])
  })

  it('is told where a limit of the gateway ends the request', async () => {
    const refusal = new ServiceError('service.error.unavailable', 'too many sessions')
    const source: SessionSource = { session: () => Promise.reject(refusal) }
    const { told, performed } = perform(new SessionDouble(), {}, source)
    expect(await performed.catch((error: unknown) => error)).to.equal(refusal)
    expect(told).to.deep.equal(['wamp_call 0', 'service.error.unavailable of the gateway'])
  })

  it('is told each time that it is repeated', async () => {
    const { told, clock, performed } = perform(new SessionDouble(lost(), callResult()), {
      attempts,
    })
    await clock.advance(5000)
    await performed
    expect(told).to.deep.equal([
      ...['wamp_call 0', 'ready', 'wamp.error.net_failure of the gateway'],
      ...['wamp_call 1', 'ready', 'ok'],
    ])
  })

  it('is told when the client goes away', async () => {
    const source: SessionSource = { session: () => new Promise(() => undefined) }
    const { told, cancel, performed } = perform(new SessionDouble(), {}, source)
    cancel()
    await performed
    expect(told).to.deep.equal(['wamp_call 0', 'wamp.error.canceled of the gateway'])
  })

  it('is told of a publication', async () => {
    const { told, watch } = watching()
    const sessions = { session: () => new SessionDouble({ publication_id: 5 }) }
    const ports = { sessions, clock: new ManualClock(), watch, allowedDynamicUris: [] }
    const { run } = runOf({ target: { ...target, type: 'wamp_publish' } })
    await wampPublishAction(ports).perform({ topic: 'com.example.t' }, run)
    expect(told).to.deep.equal(['wamp_publish 0', 'ready', 'ok'])
  })

  it('with progressive results is over with the last one', async () => {
    const session = new SessionDouble()
    const { told, performed } = perform(session, { wantsProgress: true })
    session.calls[0]?.onProgress?.(callResult({ args: [1] }))
    await performed
    expect(told).to.deep.equal(['wamp_call 0', 'ready'])
    session.calls[0]?.settle(callResult())
    await settled()
    expect(told).to.deep.equal(['wamp_call 0', 'ready', 'ok'])
  })

  it('with progressive results is over when it is given up', async () => {
    const session = new SessionDouble()
    const { told, performed } = perform(session, { wantsProgress: true })
    session.calls[0]?.onProgress?.(callResult({ args: [1] }))
    const { stream } = await performed
    ;(stream as CallStream).cancel()
    expect(told.at(-1)).to.equal('wamp.error.canceled of the gateway')
  })
})
