/** Registrations that stand: what the router refuses is asked for again, and what is ended stays so. */
import { expect } from 'chai'
import type { Callee } from '#component/wamp/registrations/callee.ts'
import {
  type RegistrationPace,
  StandingRegistrations,
} from '#component/wamp/registrations/standing-registrations.ts'
import { WampError } from '#component/wamp/session.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const taken = new WampError('wamp.error.procedure_already_exists', { args: ['it is taken'] })
const denied = new WampError('wamp.error.not_authorized', { args: ['you\nmay not'] })

/** A session with a router that answers as it is told. */
function sessionOf() {
  const clock = new ManualClock()
  const answers: (WampError | number)[] = []
  const sent: string[] = []
  const logged: string[] = []
  let isJoined = true
  const callee = {
    async register(uri: string) {
      sent.push(`register ${uri}`)
      const answer = answers.shift() ?? sent.length
      if (answer instanceof WampError) throw answer
      return answer
    },
    async unregister(id: unknown) {
      sent.push(`unregister ${id}`)
    },
  } as unknown as Callee
  const line = (_members: object, message: string) => void logged.push(message)
  const registrations = new StandingRegistrations({
    realm_uri: 'com.example',
    clock,
    log: { info: line, warn: line } as never,
    callee: () => (isJoined ? callee : undefined),
    onRegistered: () => undefined,
  })
  const add = async (invoke = 'roundrobin', pace?: RegistrationPace) => {
    const what = {
      uri: 'com.a',
      options: { invoke },
      handler: () => undefined,
      ...(pace && { pace }),
    }
    const { registration, tried } = registrations.add(what)
    await tried
    return registration
  }
  return {
    ...{ add, answers, clock, logged, registrations, sent },
    leave() {
      isJoined = false
      registrations.lost()
    },
    async join() {
      isJoined = true
      await registrations.joined()
    },
  }
}

describe('a standing registration', () => {
  it('is registered once', async () => {
    const { add, sent } = sessionOf()
    expect((await add()).state).to.equal('registered')
    expect(sent).to.deep.equal(['register com.a'])
  })

  for (const [error, invoke, state, reason] of [
    [taken, 'roundrobin', 'refused', 'wamp.error.procedure_already_exists: it is taken'],
    [taken, 'single', 'standby', 'wamp.error.procedure_already_exists: it is taken'],
    [denied, 'single', 'refused', 'wamp.error.not_authorized: you may not'],
    [denied, 'first', 'refused', 'wamp.error.not_authorized: you may not'],
  ] as const) {
    it(`is ${state} after ${error.error_uri} with ${invoke}, and tries again between 8 and 12 s`, async () => {
      const { add, answers, clock, sent } = sessionOf()
      answers.push(error)
      const registration = await add(invoke)
      expect([registration.state, registration.reason]).to.deep.equal([state, reason])
      await clock.advance(7_999)
      expect(sent).to.have.length(1)
      await clock.advance(4_001)
      expect(sent).to.have.length(2)
      expect([registration.state, registration.reason]).to.deep.equal(['registered', undefined])
    })
  }

  it('is asked for as its pace says: a while after each join, and after a refusal', async () => {
    const { add, answers, clock, join, leave, sent } = sessionOf()
    answers.push(taken)
    const registration = await add('single', { afterJoinMs: 5_000, afterRefusalMs: 2_000 })
    const counted = async (ms: number) => {
      await clock.advance(ms)
      return [sent.length, registration.state]
    }
    expect(await counted(4_999)).to.deep.equal([0, 'waiting'])
    expect(await counted(1)).to.deep.equal([1, 'standby'])
    expect(await counted(1_599)).to.deep.equal([1, 'standby'])
    expect(await counted(801)).to.deep.equal([2, 'registered'])
    leave()
    await join()
    expect(await counted(4_999)).to.deep.equal([2, 'waiting'])
    expect(await counted(1)).to.deep.equal([3, 'registered'])
  })

  it('logs each reason once', async () => {
    const { add, answers, clock, logged } = sessionOf()
    answers.push(denied, denied, taken, taken)
    await add()
    for (let round = 0; round < 3; round++) {
      await clock.advance(12_000)
    }
    const message = 'the router refuses to register the procedure; trying again'
    expect(logged).to.deep.equal([message, message])
  })

  it('is waiting while the session is lost, and registered again with the next one', async () => {
    const { add, join, leave, sent } = sessionOf()
    const registration = await add()
    leave()
    expect(registration.state).to.equal('waiting')
    await join()
    expect([registration.state, sent]).to.deep.equal([
      'registered',
      ['register com.a', 'register com.a'],
    ])
  })

  it('is asked for by the next session at once where it was refused', async () => {
    const { add, answers, clock, join, leave, sent } = sessionOf()
    answers.push(denied)
    const registration = await add()
    leave()
    await join()
    expect(registration.state).to.equal('registered')
    await clock.advance(20_000)
    expect(sent).to.have.length(2)
  })

  it('is registered again when the router takes it away', async () => {
    const { add, answers, registrations, sent } = sessionOf()
    answers.push(17)
    await add()
    registrations.revoked(18)
    registrations.revoked(17)
    await settled()
    expect(sent).to.have.length(2)
  })

  it('is taken back, and never asked for again', async () => {
    const { add, answers, clock, join, leave, sent } = sessionOf()
    answers.push(17, denied)
    const registration = await add()
    const refused = await add()
    await registration.end()
    await refused.end()
    await clock.advance(20_000)
    leave()
    await join()
    expect(sent).to.deep.equal(['register com.a', 'register com.a', 'unregister 17'])
  })
})
