/** The checks of the targets of upstreams. */
import { expect } from 'chai'
import type { UpstreamHandler } from '#component/action/connections/upstreams.ts'
import { ActiveChecks, type ToldHealth } from '#component/upstreams/active-checks.ts'
import { upstreamOf } from '#component/upstreams/settings.ts'
import { Upstream } from '#component/upstreams/upstream.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'
import { nameOf, plain, target } from './doubles.ts'

const controller = {
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
  ...{ aborted: false, paused: false, reason: null, rawHeaders: [], rawTrailers: [] },
} as unknown as Parameters<NonNullable<UpstreamHandler['onRequestStart']>>[0]

/** A target that answers checks as told: a status, an error, or nothing. */
type Answer = number | Error | undefined

/** An upstream whose targets answer checks as told. */
function checked(active: object, more: object = {}) {
  const clock = new ManualClock()
  const asked: string[] = []
  const told: ToldHealth[] = []
  let answer: Answer = 200
  const connections = {
    pool: ({ hostname }: { hostname: string }) => ({
      dispatch({ path }: { path: string }, handler: UpstreamHandler) {
        asked.push(`${hostname} ${path}`)
        handler.onRequestStart?.(controller, undefined)
        if (answer instanceof Error) handler.onResponseError?.(controller, answer)
        else if (answer !== undefined) handler.onResponseStart?.(controller, answer, {})
      },
    }),
    release: () => undefined,
    connected: () => 0,
    proxies: () => false,
    close: async () => undefined,
  }
  const ports = {
    clock,
    connections,
    openValue: async () => undefined,
    tokenOf: () => '',
    lookup: () => undefined,
  }
  const make = (written: object, before?: Upstream) =>
    new Upstream('com.example.test', upstreamOf('it', { ...written }), ports, before)
  const written = {
    targets: [target('a')],
    health: { active: { path: '/up', ...active } },
    ...more,
  }
  const upstream = make(written)
  const checks = new ActiveChecks({ clock, tell: (one) => told.push(one) })
  checks.follow([upstream])
  return {
    ...{ clock, asked, told, upstream, checks, make, written },
    answers: (next: Answer) => {
      answer = next
    },
    isUp: () => upstream.choose(plain) !== undefined,
  }
}

describe('a check', () => {
  it('asks every few seconds', async () => {
    const { clock, asked } = checked({})
    await clock.advance(500)
    expect(asked).to.deep.equal(['a /up'])
    await clock.advance(4_999)
    expect(asked).to.have.lengthOf(1)
    await clock.advance(1)
    expect(asked).to.have.lengthOf(2)
  })

  for (const [what, answer, reason] of [
    ['an error', Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), 'sent (ECONNREFUSED)'],
    ['a status that is none of those', 503, 'the check got 503'],
    ['a redirect', 302, 'the check got 302'],
    ['no answer', undefined, 'no response within 2000 ms'],
  ] as const) {
    it(`takes the last target out after three bad answers: ${what}`, async () => {
      const { clock, told, answers, isUp } = checked({})
      answers(answer)
      await clock.advance(500)
      await clock.advance(1_000)
      expect(isUp()).to.equal(true)
      await clock.advance(11_500)
      expect(isUp()).to.equal(false)
      expect(told[0]).to.include({ upstream: 'it', target: 'http://a', isDown: true })
      expect(told[0]?.reason).to.include(reason)
    })
  }

  it('brings a target back after two good answers', async () => {
    const { clock, told, answers, isUp } = checked({})
    answers(503)
    await clock.advance(10_000)
    expect(isUp()).to.equal(false)
    answers(200)
    await clock.advance(5_000)
    expect(isUp()).to.equal(false)
    await clock.advance(5_000)
    expect(isUp()).to.equal(true)
    expect(told.at(-1)).to.include({ isDown: false, reason: undefined })
  })

  it('tells once that a target is well, for processes that know of a check before', async () => {
    const { clock, told } = checked({})
    await clock.advance(60_000)
    expect(told).to.have.lengthOf(1)
    expect(told[0]).to.include({ target: 'http://a', isDown: false, reason: undefined })
  })

  it('tells again at each check that a target is down', async () => {
    const { clock, told, answers } = checked({})
    answers(500)
    await clock.advance(30_000)
    expect(told.length).to.be.greaterThan(3)
    expect(told.every(({ isDown }) => isDown)).to.equal(true)
  })

  it('takes the statuses that its realm lists', async () => {
    const { clock, answers, isUp } = checked({ status: [401], down: 1, up: 1 })
    answers(401)
    await clock.advance(10_000)
    expect(isUp()).to.equal(true)
    answers(200)
    await clock.advance(5_000)
    expect(isUp()).to.equal(false)
  })

  it('leaves requests to another target', async () => {
    const { clock, answers, upstream } = checked(
      { down: 1 },
      {
        targets: [target('a'), target('b', { backup: true })],
      },
    )
    answers(undefined)
    await clock.advance(10_000)
    upstream.mark(
      upstream.targets[1] as NonNullable<(typeof upstream.targets)[1]>,
      false,
      undefined,
    )
    expect(nameOf(upstream.choose(plain))).to.equal('b')
  })

  it('ends with the load that takes it away, and goes on with one that keeps it', async () => {
    const { clock, asked, checks, make, written, upstream, answers } = checked({ down: 1 })
    answers(500)
    await clock.advance(1_000)
    const next = make({ ...written, slow_start: 1 }, upstream)
    checks.follow([next])
    expect(next.choose(plain)).to.equal(undefined)
    checks.follow([])
    const count = asked.length
    await clock.advance(60_000)
    expect(asked).to.have.lengthOf(count)
    expect(clock.pending).to.equal(0)
  })

  it('has no timer where no upstream asks for it', () => {
    const clock = new ManualClock()
    const { make } = checked({})
    const checks = new ActiveChecks({ clock, tell: () => undefined })
    checks.follow([make({ targets: [target('a')] })])
    expect(clock.pending).to.equal(0)
  })
})
