/** Which registrations count as lost, and when nothing more is asked. */
import { expect } from 'chai'
import { RegistrationCheck } from '#component/wamp/registration-check.ts'
import { type CallResult, WampError } from '#component/wamp/session.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const listed = (...exact: number[]) => [{ exact, prefix: [], wildcard: [] }]

/** A check of two registrations with the ids 1 and 2, each time answered with the next of these. */
async function checked(...answers: readonly (readonly unknown[] | Error)[]) {
  const clock = new ManualClock()
  const restored: string[][] = []
  const warnings: unknown[] = []
  let asked = 0
  const answer = async () => {
    const next = answers[asked++]
    if (!next || next instanceof Error) throw next
    return { args: next, kwargs: {}, details: {}, request_id: 1 } satisfies CallResult
  }
  const check = new RegistrationCheck<{ readonly uri: string }>({
    session: { realm_uri: 'r', call: () => ({ result: answer(), cancel: () => undefined }) },
    clock,
    log: { warn: (...line: unknown[]) => void warnings.push(line) },
    everyMs: 10_000,
    restore: async (lost) => void restored.push(lost.map(({ uri }) => uri)),
  })
  check.start(() => true)
  check.add({ uri: 'a' }, 1)
  check.add({ uri: 'b' }, 2)
  for (const _ of answers) await clock.advance(10_000)
  return { restored, warnings, asked }
}

describe('the check of registrations', () => {
  for (const [what, answers, restored] of [
    ['nothing that the router lists', [listed(2, 1, 7)], []],
    ['what the router does not list', [listed(1)], [['b']]],
    ['each once, until it is registered again', [listed(), listed()], [['a', 'b']]],
    [
      'nothing while the router does not respond',
      [new WampError('service.error.timeout'), listed(1)],
      [['b']],
    ],
    [
      'nothing where the router does not say',
      [new WampError('wamp.error.not_authorized'), listed()],
      [],
    ],
  ] as const) {
    it(`restores ${what}`, async () => {
      expect((await checked(...answers)).restored).to.deep.equal(restored)
    })
  }

  it('restores nothing that the session has taken back while the router was asked', async () => {
    const clock = new ManualClock()
    const list = Promise.withResolvers<CallResult>()
    const restored: unknown[] = []
    const check = new RegistrationCheck<{ readonly uri: string }>({
      session: { realm_uri: 'r', call: () => ({ result: list.promise, cancel: () => undefined }) },
      clock,
      log: { warn: () => undefined },
      everyMs: 10_000,
      restore: async (lost) => void restored.push(lost),
    })
    check.start(() => true)
    check.add({ uri: 'a' }, 1)
    await clock.advance(10_000)
    check.forget()
    list.resolve({ args: listed(), kwargs: {}, details: {}, request_id: 1 })
    await clock.advance(10_000)
    expect(restored).to.deep.equal([])
  })

  it('says once which procedures were lost, and once that it cannot know', async () => {
    const lost = await checked(listed(1), listed(1))
    expect(lost.warnings).to.deep.equal([
      [
        { realm: 'r', procedures: ['b'] },
        'the router has lost registrations; registering them again',
      ],
    ])
    const refused = await checked(new WampError('wamp.error.no_such_procedure'), listed())
    expect(refused.warnings).to.have.length(1)
    expect(refused.asked).to.equal(1)
  })
})
