/** What /metrics says of the gateway's own sessions. */
import { expect } from 'chai'
import { Families } from '#component/metrics/families.ts'
import { SessionRecord } from '#component/wamp/session-record.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { sessionSources, sessionWaits } from '#component/wiring/status/session-status.ts'
import { countsIn, metricLines } from '#test/support/metric-lines.ts'

/** A session that is joined, or has not joined since it ended for this reason. */
function sessionOf(realm_uri: string, isOpen: boolean, reason?: string): SupervisedSession {
  const record = new SessionRecord()
  if (reason !== undefined) record.ended({ reason }, 0)
  return { realm_uri, isOpen, record } as unknown as SupervisedSession
}

describe('the metric of waits for sessions', () => {
  it('tells how each has ended', () => {
    const families = new Families({ now: () => 0 })
    const observe = sessionWaits(families)
    observe(20, 'ok')
    observe(5000, 'timeout')
    expect(countsIn(metricLines(families, 'gateway_session_wait_seconds'))).to.deep.equal([
      'gateway_session_wait_seconds_count{outcome="ok"} 1',
      'gateway_session_wait_seconds_count{outcome="timeout"} 1',
    ])
  })
})

describe("the metric of the states of the gateway's own sessions", () => {
  const cases = {
    joined: sessionOf('com.example', true, 'wamp.error.not_authorized'),
    joining: sessionOf('com.example', false),
    refused: sessionOf('com.example', false, 'wamp.error.not_authorized'),
  }
  for (const [state, session] of Object.entries(cases)) {
    it(`is 1 for ${state} alone, of a session that is ${state}`, () => {
      const sources = sessionSources({
        own: cases.joined,
        pool: { own: [session], forwarding: [] },
      })
      const found = sources.gateway_router_session_state?.read() ?? []
      const samples = typeof found === 'number' ? [] : found
      const ofRequests = samples.filter(({ labels }) => labels.purpose === 'requests')
      expect(ofRequests.map(({ labels, value }) => [labels.state, value])).to.deep.equal(
        ['joined', 'joining', 'refused'].map((one) => [one, Number(one === state)]),
      )
    })
  }

  it('is joining where no router has answered', () => {
    const away = sessionOf('com.example', false, 'the connection cannot be opened')
    const sources = sessionSources({ own: away, pool: { own: [], forwarding: [] } })
    const found = sources.gateway_router_session_state?.read()
    expect(found).to.deep.include({
      labels: { realm: 'com.example', purpose: 'management', state: 'joining' },
      value: 1,
    })
  })
})
