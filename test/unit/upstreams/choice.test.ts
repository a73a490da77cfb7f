/** The target of a request. */
import { expect } from 'chai'
import { digestOf, scoreOf } from '#component/upstreams/rendezvous.ts'
import type { Upstream } from '#component/upstreams/upstream.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'
import { nameOf, plain, target, upstreamWith } from './doubles.ts'

/** How often each target is chosen. */
function counted(upstream: Upstream, times: number, wanted = (_index: number) => plain) {
  const counts: Record<string, number> = {}
  for (let index = 0; index < times; index += 1) {
    const name = nameOf(upstream.choose(wanted(index))) ?? 'none'
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const weighted = [
  target('a', { weight: 5 }),
  target('b', { weight: 3 }),
  target('c', { weight: 2 }),
]
const keyed = (index: number) => ({ ...plain, key: `key ${index}` })

describe('round_robin', () => {
  it('goes by the weights', () => {
    const upstream = upstreamWith({ targets: weighted })
    expect(counted(upstream, 1000)).to.deep.equal({ a: 500, b: 300, c: 200 })
  })

  it('never asks the heaviest several times in a row where others can be asked between', () => {
    const upstream = upstreamWith({ targets: weighted })
    const names = Array.from({ length: 10 }, () => nameOf(upstream.choose(plain))).join('')
    expect(names).to.equal('abcaabacba')
  })

  it('takes equal targets in turn', () => {
    const upstream = upstreamWith({ targets: ['a', 'b', 'c'].map((name) => target(name)) })
    const names = Array.from({ length: 6 }, () => nameOf(upstream.choose(plain))).join('')
    expect(names).to.equal('abcabc')
  })
})

describe('least_pending', () => {
  it('draws by the weights where all are idle', () => {
    const upstream = upstreamWith({ targets: weighted, balance: 'least_pending' })
    const { a = 0, b = 0, c = 0 } = counted(upstream, 10_000)
    expect(a / b).to.be.closeTo(5 / 3, 0.2)
    expect(b / c).to.be.closeTo(3 / 2, 0.2)
  })

  it('takes the less busy of two', () => {
    const upstream = upstreamWith({ targets: weighted.slice(0, 2), balance: 'least_pending' })
    let busy = upstream.choose(plain)
    while (nameOf(busy) !== 'a') busy = upstream.choose(plain)
    busy?.begin()
    expect(counted(upstream, 100)).to.deep.equal({ b: 100 })
  })
})

describe('hash', () => {
  const upstreamOf = (targets: object[]) => upstreamWith({ targets, balance: 'hash' })

  it('goes by the weights', () => {
    const { a = 0, b = 0, c = 0 } = counted(upstreamOf(weighted), 100_000, keyed)
    expect(a).to.be.closeTo(50_000, 1000)
    expect(b).to.be.closeTo(30_000, 1000)
    expect(c).to.be.closeTo(20_000, 1000)
  })

  it('chooses alike on every node, whatever the order of the targets', () => {
    const [one, other] = [upstreamOf(weighted), upstreamOf([...weighted].reverse())]
    for (let index = 0; index < 1000; index += 1) {
      const wanted = keyed(index)
      expect(nameOf(one.choose(wanted))).to.equal(nameOf(other.choose(wanted)))
    }
  })

  for (const [what, targets, removed] of [
    ['equal ones', ['a', 'b', 'c', 'd'].map((name) => target(name)), 'c'],
    ['of other weights', weighted, 'b'],
    ['64', Array.from({ length: 64 }, (_, index) => target(`10.0.0.${index}`)), '10.0.0.7'],
  ] as const) {
    it(`moves the keys of a target that is gone, and no other: ${what}`, () => {
      const before = upstreamOf([...targets])
      const after = upstreamOf(targets.filter(({ url }) => url !== `http://${removed}`))
      let moved = 0
      for (let index = 0; index < 10_000; index += 1) {
        const wanted = keyed(index)
        const [from, to] = [nameOf(before.choose(wanted)), nameOf(after.choose(wanted))]
        if (from === removed) moved += 1
        else expect(to).to.equal(from)
      }
      expect(moved).to.be.greaterThan(50)
    })
  }

  it('gives a target that is heavier more keys, and takes none of it', () => {
    const heavier = [target('a', { weight: 10 }), ...weighted.slice(1)]
    const [before, after] = [upstreamOf(weighted), upstreamOf(heavier)]
    for (let index = 0; index < 1000; index += 1) {
      const wanted = keyed(index)
      if (nameOf(before.choose(wanted)) === 'a') {
        expect(nameOf(after.choose(wanted))).to.equal('a')
      }
    }
  })

  it('spreads keys that differ in one character, and long ones', () => {
    for (const keyOf of [
      (index: number) => `${'x'.repeat(500)}${index}`,
      (index: number) => String.fromCharCode(index),
      (index: number) => `10.0.${index >> 8}.${index & 255}`,
      (index: number) => `${index}`.padStart(36, '0'),
    ]) {
      const targets = ['a', 'b', 'c', 'd'].map((name) => target(name))
      const wanted = (index: number) => ({ ...plain, key: keyOf(index) })
      for (const count of Object.values(counted(upstreamOf(targets), 10_000, wanted))) {
        expect(count).to.be.closeTo(2500, 200)
      }
    }
  })

  it('has scores that are numbers', () => {
    for (const text of ['', 'a', '\ud800', '\u0000']) {
      const score = scoreOf(digestOf(text), digestOf(text), 1)
      expect(Number.isFinite(score) && score > 0).to.equal(true)
    }
  })
})

describe('the targets that take part', () => {
  for (const [what, targets, group, expected] of [
    ['all', [target('a'), target('b')], '', { a: 2, b: 2 }],
    ['none of weight 0', [target('a'), target('b', { weight: 0 })], '', { a: 4 }],
    ['none that is drained', [target('a'), target('b', { drain: true })], '', { a: 4 }],
    ['no backup', [target('a'), target('b', { backup: true })], '', { a: 4 }],
    ['backups, where none else is', [target('b', { backup: true })], '', { b: 4 }],
    [
      'backups, where all others are drained',
      [target('a', { drain: true }), target('b', { backup: true })],
      '',
      { b: 4 },
    ],
    [
      'the wanted group, also of weight 0',
      [target('a'), target('b', { weight: 0, group: 'canary' })],
      'canary',
      { b: 4 },
    ],
    [
      'a group without being wanted',
      [target('a'), target('b', { group: 'x' })],
      '',
      { a: 2, b: 2 },
    ],
    [
      'all, where the wanted group is drained',
      [target('a'), target('b', { group: 'x', drain: true })],
      'x',
      { a: 4 },
    ],
    ['all, where nobody has the wanted group', [target('a')], 'y', { a: 4 }],
    ['none', [target('a', { drain: true }), target('b', { weight: 0 })], '', { none: 4 }],
    ['none but backups with a weight', [target('a', { backup: true, weight: 0 })], '', { none: 4 }],
  ] as const) {
    it(`are ${what}`, () => {
      const upstream = upstreamWith({ targets })
      expect(counted(upstream, 4, () => ({ ...plain, group }))).to.deep.equal(expected)
    })
  }

  for (const balance of ['round_robin', 'least_pending', 'hash']) {
    it(`are not those that the request has been sent to: ${balance}`, () => {
      const upstream = upstreamWith({ targets: weighted, balance })
      const tried = []
      for (let chosen = upstream.choose(plain); chosen; ) {
        expect(tried).not.to.include(chosen)
        tried.push(chosen)
        chosen = upstream.choose({ ...plain, tried })
      }
      expect(tried).to.have.lengthOf(3)
    })
  }
})

describe('slow_start', () => {
  it('lets the weight of a target that is new grow, from a tenth', async () => {
    const clock = new ManualClock()
    const before = upstreamWith({ targets: [target('a')], slow_start: 100 }, clock)
    await clock.advance(200_000)
    const written = { targets: [target('a'), target('b')], slow_start: 100 }
    const upstream = upstreamWith(written, clock, before)
    for (const [ms, part] of [
      [0, 0.1],
      [50_000, 0.5],
      [50_000, 1],
      [50_000, 1],
    ] as const) {
      await clock.advance(ms)
      const { a = 0, b = 0 } = counted(upstream, 1100)
      expect(b / a).to.be.closeTo(part, 0.02)
    }
  })

  it('holds for no target where it is not said', () => {
    expect(counted(upstreamWith({ targets: weighted }), 10)).to.deep.equal({ a: 5, b: 3, c: 2 })
  })
})
