import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { expect } from 'chai'
import { noTarget } from '#component/action/watching/action-target.ts'
import type { AttemptWatch, WatchedAttempt } from '#component/action/watching/attempt-watch.ts'
import { toldAttempts } from '#component/action/watching/told-attempts.ts'

const target = {
  ...noTarget,
  type: 'forward',
  text: '{{request.host}}',
  literal: undefined,
} as const
const run = { target, realm_uri: 'com.example.realm' }

/** A watch that keeps what it is told. */
function keeping() {
  const told: unknown[] = []
  const attempt: WatchedAttempt = {
    context: undefined,
    ready: () => told.push('ready'),
    over: (end) => told.push(end),
  }
  const watch: AttemptWatch = { begin: () => attempt }
  return { told, attempt, watch }
}

describe('toldAttempts', () => {
  it('adds nothing without subscribers', () => {
    const { attempt, watch } = keeping()
    expect(toldAttempts(watch, () => 0).begin(run, 0)).to.equal(attempt)
  })

  it('tells subscribers how an attempt ended, and the watch all', () => {
    const messages: unknown[] = []
    const listener = (message: unknown) => messages.push(message)
    const { told, watch } = keeping()
    let time = 100
    subscribe('wamp-gateway:call', listener)
    try {
      const attempt = toldAttempts(watch, () => time).begin(run, 1, 'post')
      time = 142
      attempt.ready()
      attempt.over({ answer: { status_code: 503 }, error: { error_uri: 'com.example.error' } })
    } finally {
      unsubscribe('wamp-gateway:call', listener)
    }
    expect(messages).to.deep.equal([
      {
        ...{ type: 'forward', target: '{{request.host}}', is_computed: true, method: 'post' },
        ...{ api_spec: '', version: '', route: '', attempt: 2 },
        ...{ status: 503, error: 'com.example.error', duration: 42 },
      },
    ])
    expect(told).to.have.length(2)
  })
})
