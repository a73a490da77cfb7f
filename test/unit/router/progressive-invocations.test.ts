/** Calls in pieces on the embedded router (WAMP: Progressive Call Invocations). */
import { expect } from 'chai'
import { Router } from '#component/router/router.ts'
import { openPolicy } from '#test/support/examples/open-policy.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const all = { progressive_call_invocations: true, call_canceling: true }
const procedure = 'com.example.p'

describe('a call in pieces', () => {
  let clock: ManualClock
  let router: Router

  async function join(roles: object) {
    const link = router.openLink()
    const seen: unknown[][] = []
    link.onMessage = (message) => void seen.push([...message])
    link.send([1, 'realm1', { roles }])
    await settled()
    const [welcome] = seen.splice(0)
    const send = async (...messages: unknown[][]) => {
      for (const message of messages) link.send(message)
      await settled()
    }
    return { seen, send, welcome }
  }

  async function joinBoth(callee: object = all, caller: object = all) {
    const one = await join({ callee: { features: callee } })
    await one.send([64, 1, {}, procedure])
    const registration = one.seen.splice(0)[0]?.[2]
    const other = await join({ caller: { features: caller } })
    return { callee: one, caller: other, registration }
  }

  beforeEach(() => {
    clock = new ManualClock()
    router = new Router({ policy: openPolicy(['realm1']), clock })
  })

  it('is announced by the router', async () => {
    const { welcome } = await join({ caller: {} })
    expect(welcome?.[2]).to.have.nested.property(
      'roles.dealer.features.progressive_call_invocations',
      true,
    )
  })

  it('reaches one callee under one request, and has one result', async () => {
    const { callee, caller, registration } = await joinBoth()
    await caller.send(
      [48, 7, { progress: true, timeout: 9 }, procedure, [1], { a: 1 }],
      [48, 7, { progress: true, disclose_me: true }, 'com.example.other', [2]],
      [48, 7, {}, procedure, [3]],
    )
    expect(callee.seen).to.deep.equal([
      [68, 1, registration, { progress: true }, [1], { a: 1 }],
      [68, 1, registration, { progress: true }, [2]],
      [68, 1, registration, {}, [3]],
    ])
    await callee.send([70, 1, {}, ['all']])
    expect(caller.seen).to.deep.equal([[50, 7, {}, ['all']]])
  })

  for (const [what, features] of [
    ['takes no pieces', { call_canceling: true }],
    ['cannot be interrupted', { progressive_call_invocations: true }],
    ['announces nothing', {}],
  ] as const) {
    it(`is refused where the callee ${what}`, async () => {
      const { callee, caller } = await joinBoth(features)
      await caller.send([48, 7, { progress: true }, procedure])
      expect(caller.seen[0]?.slice(0, 5)).to.deep.equal([
        ...[8, 48, 7, {}, 'wamp.error.feature_not_supported'],
      ])
      expect(callee.seen).to.deep.equal([])
      // what was on its way is dropped
      await caller.send([48, 7, { progress: true }, procedure], [48, 7, {}, procedure])
      expect(callee.seen).to.deep.equal([])
      expect(caller.seen).to.have.lengthOf(1)
      await caller.send([48, 8, {}, procedure])
      expect(callee.seen).to.have.lengthOf(1)
    })
  }

  it('reaches a callee that spells call_cancelling so', async () => {
    const { callee, caller } = await joinBoth({
      progressive_call_invocations: true,
      call_cancelling: true,
    })
    await caller.send([48, 7, { progress: true }, procedure])
    expect(callee.seen).to.have.lengthOf(1)
  })

  it('is ABORT from a caller that does not announce it', async () => {
    const { caller } = await joinBoth(all, {})
    await caller.send([48, 7, { progress: true }, procedure])
    expect(caller.seen[0]?.[0]).to.equal(3)
  })

  it('is ABORT behind its last piece', async () => {
    const { caller } = await joinBoth()
    await caller.send([48, 7, { progress: true }, procedure], [48, 7, {}, procedure])
    await caller.send([48, 7, {}, procedure])
    expect(caller.seen[0]?.[0]).to.equal(3)
  })

  for (const [what, end] of [
    ['an early result', [70, 1, {}, ['enough']]],
    ['an error', [8, 68, 1, {}, 'com.example.error']],
  ] as const) {
    it(`is dropped behind ${what}`, async () => {
      const { callee, caller } = await joinBoth()
      await caller.send([48, 7, { progress: true }, procedure])
      await callee.send([...end])
      callee.seen.splice(0)
      await caller.send(
        [48, 7, { progress: true }, procedure, [1]],
        [48, 7, { progress: true }, procedure, [2]],
        [48, 7, {}, procedure, [3]],
      )
      expect(callee.seen).to.deep.equal([])
      expect(caller.seen).to.have.lengthOf(1)
    })
  }

  it('is interrupted by CANCEL, and with its caller', async () => {
    const { callee, caller } = await joinBoth()
    await caller.send([48, 7, { progress: true }, procedure], [49, 7, {}])
    expect(callee.seen.at(-1)?.slice(0, 2)).to.deep.equal([69, 1])
    await caller.send([48, 7, {}, procedure, ['late']])
    expect(callee.seen).to.have.lengthOf(2)
  })

  it('has its timeout anew with each piece and each progressive result', async () => {
    const { callee, caller } = await joinBoth()
    await caller.send([
      ...[48, 7, { progress: true, timeout: 1000, receive_progress: true }, procedure],
    ])
    await clock.advance(600)
    await caller.send([48, 7, {}, procedure])
    await clock.advance(600)
    await callee.send([70, 1, { progress: true }])
    await clock.advance(600)
    expect(caller.seen.map(([type]) => type)).to.deep.equal([50])
    await clock.advance(401)
    expect(caller.seen.at(-1)?.[4]).to.equal('wamp.error.timeout')
  })

  it('has an option progress that is true or false', async () => {
    const { caller } = await joinBoth()
    await caller.send([48, 7, { progress: 'yes' }, procedure])
    expect(caller.seen[0]?.[4]).to.equal('wamp.error.option_not_allowed')
  })
})
