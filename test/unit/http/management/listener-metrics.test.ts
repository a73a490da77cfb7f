/** What the listeners say of their process in /metrics. */
import { expect } from 'chai'
import { type ListenerState, listenerSources } from '#http/management/listener-metrics.ts'

const state: ListenerState = {
  ...{
    connections: 0,
    http2: undefined,
    inFlight: 3,
    isReady: true,
    memory: 0.5,
    pressure: 'none',
    tls: undefined,
  },
  shed: { connection: 1, body: 2, network: 0, all: 4 },
}

const readAll = (change: Partial<ListenerState> = {}) =>
  Object.entries(listenerSources(() => ({ ...state, ...change }))).map(([name, source]) => [
    name,
    'read' in source ? source.read() : undefined,
  ])

describe('the metrics of the listeners', () => {
  it('say whether the process is overloaded, and which requests it has refused for that', () => {
    const found = Object.fromEntries(readAll({ pressure: 'strained' }))
    expect(found).to.include({ gateway_overload_pressure: 1, gateway_ready: 1 })
    expect(found.gateway_overload_shed_total).to.deep.equal([
      { labels: { reason: 'connection' }, value: 1 },
      { labels: { reason: 'body' }, value: 2 },
      { labels: { reason: 'network' }, value: 0 },
      { labels: { reason: 'all' }, value: 4 },
    ])
    expect(Object.fromEntries(readAll({ pressure: 'full' }))).to.include({
      gateway_overload_pressure: 2,
    })
  })

  it('have the end of each certificate, and the files that were refused', () => {
    expect(readAll().map(([name]) => name)).to.not.include('gateway_tls_certificate_expiry_seconds')
    const pair = { cert: '', key: '', hosts: [], startsAt: 0 }
    const pairs = [
      { ...pair, file: 'a.pem', expiresAt: 5000 },
      { ...pair, file: 'b.pem', expiresAt: 7000 },
    ]
    expect(Object.fromEntries(readAll({ tls: { pairs, refused: ['b.pem'] } }))).to.deep.include({
      gateway_tls_certificate_expiry_seconds: [
        { labels: { certificate: 'a.pem' }, value: 5 },
        { labels: { certificate: 'b.pem' }, value: 7 },
      ],
      gateway_tls_certificate_refused: [
        { labels: { certificate: 'a.pem' }, value: 0 },
        { labels: { certificate: 'b.pem' }, value: 1 },
      ],
    })
  })
})
