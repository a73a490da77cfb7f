/** The world of a rehearsal: sessions and connections that nothing leaves by, and that answer with given outcomes. */
import type { BodyCodec } from '#component/action/forward-body.ts'
import type { Session } from '#component/wamp/session.ts'
import type { GivenOutcome } from './asked.ts'
import { answerDispatch, callResult, publication } from './given-outcome.ts'
import type { World } from './told-actions.ts'

const unused = (): never => {
  throw new TypeError('actions call and publish')
}

/** @param outcomeOf the outcome of the first, second, … action */
export function givenWorld(outcomeOf: (index: number) => GivenOutcome, codec: BodyCodec): World {
  return (index) => ({
    sessions: {
      session: (realm_uri): Session => ({
        realm_uri,
        isOpen: true,
        call: () => ({ result: callResult(outcomeOf(index())), cancel: () => undefined }),
        publish: (_topic, _payload, { acknowledge }) =>
          publication(outcomeOf(index()), acknowledge !== false),
        register: unused,
        subscribe: unused,
        watch: unused,
        withdraw: unused,
        leave: unused,
      }),
    },
    connections: {
      pool: () => ({
        dispatch: (_request, handler) => answerDispatch(outcomeOf(index()), handler, codec),
      }),
      close: async () => undefined,
    },
    isReal: false,
  })
}
