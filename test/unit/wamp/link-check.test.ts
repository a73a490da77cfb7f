/** A link that is slow is not a link that is silent. */
import { expect } from 'chai'
import { LinkCheck } from '#component/wamp/channel/link-check.ts'

const everyMs = 5000

/** What happens between two checks: bytes come, a message comes, bytes wait to be written. */
interface Between {
  readonly bytes?: number
  readonly message?: true
  readonly unsent?: number
}

const times = (count: number, between: Between): readonly Between[] =>
  Array.from({ length: count }, () => between)

/** @returns the number of the check that finds the link lost; undefined: none does */
function lostAt(betweens: readonly Between[]): number | undefined {
  let now = 0
  let received = 0
  let unsent = 0
  let due: () => void = () => undefined
  let reason: string | undefined
  const check = new LinkCheck({
    clock: {
      now: () => now,
      random: () => 0,
      after(_ms, callback) {
        due = callback
        return () => undefined
      },
    },
    everyMs,
    ask: () => undefined,
    lose: (why) => {
      reason = why
    },
    received: () => received,
    unsent: () => unsent,
  })
  check.start()
  for (const [index, between] of betweens.entries()) {
    received += between.bytes ?? 0
    unsent = between.unsent ?? 0
    if (between.message) check.hear()
    now += everyMs
    due()
    if (reason !== undefined) {
      expect(reason).to.equal('the link is silent')
      return index + 1
    }
  }
  return undefined
}

describe('the check of a link to the router', () => {
  for (const [title, betweens, lost] of [
    ['silent from its beginning', times(3, {}), 2],
    ['with messages', times(40, { bytes: 10, message: true }), undefined],
    ['with a long message on its way', times(40, { bytes: 1 }), undefined],
    ['with a long message that stops', [...times(9, { bytes: 1 }), ...times(3, {})], 10],
    ['with bytes in every other time', times(20, { bytes: 1 }).flatMap((each) => [each, {}]), 2],
    ['with bytes that wait to be written', times(20, { unsent: 1 }), 15],
    ['with bytes that are written at last', [...times(12, { unsent: 1 }), {}], 13],
    [
      'with bytes that are written at last, and an answer',
      [...times(12, { unsent: 1 }), { bytes: 2 }, { bytes: 2 }],
      undefined,
    ],
    [
      'with bytes that wait again after an answer',
      [...times(12, { unsent: 1 }), { bytes: 2 }, ...times(13, { unsent: 1 })],
      undefined,
    ],
  ] as const) {
    it(`finds a link ${title} ${lost === undefined ? 'alive' : `lost at check ${lost}`}`, () => {
      expect(lostAt(betweens)).to.equal(lost)
    })
  }
})
