/** The sender of a call in pieces waits while much waits to leave, and goes on as soon as nothing is to be waited for. */
import { expect } from 'chai'
import { requestSession } from '#component/wamp/wampy-session.ts'
import { settled } from '#test/unit/action/doubles.ts'
import { ToldRouter } from '#test/unit/wamp/watch/told-router.ts'

const most = 100_000
const call = 48

/** A call whose first piece is sent, while so many bytes wait. */
async function senderOf(bytes: number) {
  const router = new ToldRouter()
  const session = requestSession(router.options)
  await router.welcome({ features: { progressive_call_invocations: true } })
  const nothing = { args: [], kwargs: {} }
  const sent = session.call('com.example.a', nothing, { progress: true }, 60_000)
  sent.result.catch(() => undefined)
  router.link.waiting = bytes
  let hasRoom = false
  const room = async () => {
    await sent.pieces?.room(most)
    hasRoom = true
  }
  void room()
  await settled()
  return {
    ...{ router, session, sent },
    hasRoom: async () => {
      await settled()
      return hasRoom
    },
  }
}

describe('room for the next piece of a call', () => {
  it('is there while little waits', async () => {
    const { hasRoom } = await senderOf(most)
    expect(await hasRoom()).to.equal(true)
  })

  for (const [what, happens, expected] of [
    ['not by time', ({ router }) => router.clock.advance(10_000), false],
    ['when little waits', ({ router }) => router.link.leave(most), true],
    ['not while much waits', ({ router }) => router.link.leave(most + 1), false],
    [
      'when little waits at the second time',
      ({ router }) => {
        router.link.leave(most + 1)
        router.link.leave(0)
      },
      true,
    ],
    [
      'when the callee answers',
      ({ router }) => router.say(50, router.request(call), {}, ['early']),
      true,
    ],
    [
      'when the call fails',
      ({ router }) => router.say(8, call, router.request(call), {}, 'com.example.error'),
      true,
    ],
    ['when the call is canceled', ({ sent }) => sent.cancel(), true],
    ['when the session is lost', ({ router }) => router.drop(), true],
    [
      'not by a progressive result',
      ({ router }) => router.say(50, router.request(call), { progress: true }, [1]),
      false,
    ],
  ] as const satisfies readonly (readonly [
    string,
    (sender: Awaited<ReturnType<typeof senderOf>>) => unknown,
    boolean,
  ])[]) {
    it(`comes ${what}`, async () => {
      const sender = await senderOf(most + 1)
      expect(await sender.hasRoom()).to.equal(false)
      await happens(sender)
      expect(await sender.hasRoom()).to.equal(expected)
    })
  }
})
