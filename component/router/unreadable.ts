/** Answers messages of peers that cannot be read as a whole. */
import { isMap } from '#component/syntax/values.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { code } from '#component/wamp/messages.ts'
import type { Dealer } from './dealer.ts'
import { ProtocolViolation } from './messages.ts'
import type { Session } from './session.ts'

/** The error URI of a message whose payload cannot be read, as of autobahn. */
const invalidPayload = 'wamp.error.invalid_payload'

/** A message that cannot be read. */
export interface Unreadable {
  /** Those before the first that cannot. */
  readonly fields: WampMessage
  readonly request: readonly [type: number, request: number]
  readonly text: string
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/**
 * Answers it as its kind is answered: a request by ERROR; an answer of a callee becomes an ERROR to the call.
 * @returns the procedure or topic, where it is known
 * @throws ProtocolViolation where a call of the same id is under way
 */
export function answerUnreadable(
  session: Session,
  { fields, request: [type, request], text }: Unreadable,
  dealer: Dealer,
): string | undefined {
  switch (type) {
    case code.yield: {
      const isProgress = isMap(fields[2]) && fields[2].progress === true
      return dealer.cannotAnswer(session, request, invalidPayload, text, isProgress)
    }
    case code.error:
      return dealer.cannotAnswer(session, request, textOf(fields[4]) ?? invalidPayload, text)
    case code.cancel:
      return dealer.cannotCancel(session, request, invalidPayload, text)
    case code.publish:
      // a publisher that asks for no answer would take it for a violation
      if (isMap(fields[2]) && fields[2].acknowledge === true)
        session.refuse(type, request, invalidPayload, text)
      return textOf(fields[3])
    case code.call:
      if (session.calls.has(request)) throw new ProtocolViolation(text)
  }
  session.refuse(type, request, invalidPayload, text)
  return textOf(fields[3])
}
