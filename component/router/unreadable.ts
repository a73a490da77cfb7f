/** Answers messages of peers that cannot be read as a whole, or have options of a wrong type. */
import { isMap } from '#component/syntax/values.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { code } from '#component/wamp/messages.ts'
import type { Dealer } from './dealer.ts'
import { ProtocolViolation } from './messages.ts'
import type { Session } from './session.ts'

/** A message that cannot be served. */
export interface Unreadable {
  /** Those before the first that cannot be read. */
  readonly fields: WampMessage
  readonly request: readonly [type: number, request: number]
  readonly uri: 'wamp.error.invalid_payload' | 'wamp.error.option_not_allowed'
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
  { fields, request: [type, request], uri, text }: Unreadable,
  dealer: Dealer,
): string | undefined {
  switch (type) {
    case code.yield: {
      const isProgress = isMap(fields[2]) && fields[2].progress === true
      return dealer.cannotAnswer(session, request, uri, text, isProgress)
    }
    case code.error:
      return dealer.cannotAnswer(session, request, textOf(fields[4]) ?? uri, text)
    case code.cancel:
      return dealer.cannotCancel(session, request, uri, text)
    case code.publish:
      // a publisher that asks for no answer would take it for a violation
      if (isMap(fields[2]) && (fields[2].acknowledge ?? false) !== false) {
        session.refuse(type, request, uri, text)
      }
      return textOf(fields[3])
    case code.call:
      if (session.calls.has(request)) throw new ProtocolViolation(text)
  }
  session.refuse(type, request, uri, text)
  return textOf(fields[3])
}
