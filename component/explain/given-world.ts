/** The world of a rehearsal: sessions and connections that nothing leaves by, and that answer with given outcomes. */
import type { BodyCodec } from '#component/action/forward-body.ts'
import type { Clock } from '#component/clock.ts'
import { Streams } from '#component/stream/hub.ts'
import type { Call, ProgressListener, Session } from '#component/wamp/session.ts'
import type { GivenOutcome, GivenPiece } from './asked.ts'
import { GivenEvents } from './given-events.ts'
import { answerDispatch, callResult, publication } from './given-outcome.ts'
import type { World } from './told-actions.ts'

const unused = (): never => {
  throw new TypeError('actions call, publish and subscribe')
}

/** The world, and what happens in it once an answer streams. */
interface GivenWorld {
  readonly world: World
  /** Publishes the given events; what streams make of them has been written when it returns. */
  publish(): void
}

/** @param outcomeOf the outcome of the first, second, … action */
export function givenWorld(
  outcomeOf: (index: number) => GivenOutcome,
  { codec, clock }: { readonly codec: BodyCodec; readonly clock: Clock },
): GivenWorld {
  const events = new GivenEvents()
  const turns: (() => void)[] = []
  const nextTurn = (callback: () => void) => void turns.push(callback)
  const streams = new Streams({ clock, nextTurn, hold: () => () => undefined })
  const world: World = (index) => ({
    sessions: {
      session: (realm_uri): Session => {
        let isSubscribed = false
        return {
          realm_uri,
          isOpen: true,
          call: (_procedure, _payload, _options, _timeoutMs, onProgress) => {
            const outcome = outcomeOf(index())
            return isSubscribed
              ? callTo(outcome.snapshot ?? {})
              : callTo(outcome, outcome.pieces, onProgress)
          },
          publish: (_topic, _payload, { acknowledge }) =>
            publication(outcomeOf(index()), acknowledge !== false),
          watch: (topic, options, _timeoutMs, handlers) => {
            isSubscribed = true
            return events.watch(topic, options, outcomeOf(index()), handlers)
          },
          register: unused,
          subscribe: unused,
          withdraw: unused,
          leave: unused,
        }
      },
    },
    connections: {
      pool: () => ({
        dispatch: (_request, handler) => answerDispatch(outcomeOf(index()), handler, codec),
      }),
      close: async () => undefined,
    },
    streams,
    isReal: false,
  })
  return {
    world,
    publish() {
      events.publish()
      for (let turn = turns.shift(); turn; turn = turns.shift()) turn()
    },
  }
}

/** A call; its pieces precede the answer where somebody listens. */
function callTo(
  outcome: GivenOutcome,
  pieces: readonly GivenPiece[] = [],
  onProgress?: ProgressListener,
): Call {
  let isCanceled = false
  const answer = async () => {
    await undefined // no piece comes before the call is known
    for (const piece of onProgress ? pieces : []) {
      if (!isCanceled) onProgress?.(pieceOf(piece))
    }
    return await callResult(outcome)
  }
  return {
    result: answer(),
    cancel: () => {
      isCanceled = true
    },
  }
}

const pieceOf = ({ args = [], kwargs = {}, details = {} }: GivenPiece) => ({
  ...{ request_id: 1, args, kwargs },
  details: { ...details, progress: true },
})
