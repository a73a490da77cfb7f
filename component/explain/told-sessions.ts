/** Sessions that tell what is sent over them before it leaves. */
import {
  type IdentitySetting,
  isOfGateway,
  type Payload,
  type Session,
  type SessionSource,
} from '#component/wamp/session.ts'

/** A WAMP message in the words of the document. */
export interface ToldMessage extends Partial<Payload> {
  readonly type: 'wamp_call' | 'wamp_publish' | 'wamp_subscribe'
  readonly realm_uri: string
  /** Whose session it is; null: the gateway's own. */
  readonly session_of: string | null
  readonly procedure?: string
  readonly topic?: string
  readonly options: Readonly<Record<string, unknown>>
}

/** Takes what is told. */
export interface Teller {
  /** Of an action. */
  onMessage(message: ToldMessage): void
  /** Of the call that a subscription makes for its snapshot. */
  onSnapshot(snapshot: Pick<ToldMessage, 'procedure' | 'options' | 'args' | 'kwargs'>): void
}

/** @param setting `wamp.identity` */
export function toldSessions(
  sessions: SessionSource,
  setting: IdentitySetting | undefined,
  teller: Teller,
): SessionSource {
  return {
    session: (realm_uri, identity, connectTimeoutMs) => {
      const session_of = isOfGateway(identity, setting) ? null : identity.authid
      const found = sessions.session(realm_uri, identity, connectTimeoutMs)
      return found instanceof Promise
        ? found.then((session) => toldSession(session, session_of, teller))
        : toldSession(found, session_of, teller)
    },
  }
}

function toldSession(session: Session, session_of: string | null, teller: Teller): Session {
  const from = { realm_uri: session.realm_uri, session_of }
  let isSubscribed = false
  return {
    ...bound(session),
    call: (procedure, payload, asked, timeoutMs, onProgress, progressTimeoutMs) => {
      // as the session does
      const options = onProgress ? { ...asked, receive_progress: true } : asked
      if (isSubscribed) teller.onSnapshot({ procedure, ...payload, options })
      else teller.onMessage({ type: 'wamp_call', ...from, procedure, ...payload, options })
      return session.call(procedure, payload, asked, timeoutMs, onProgress, progressTimeoutMs)
    },
    publish: (topic, payload, options, timeoutMs) => {
      teller.onMessage({ type: 'wamp_publish', ...from, topic, ...payload, options })
      return session.publish(topic, payload, options, timeoutMs)
    },
    watch: (topic, options, timeoutMs, handlers) => {
      isSubscribed = true
      teller.onMessage({ type: 'wamp_subscribe', ...from, topic, options })
      return session.watch(topic, options, timeoutMs, handlers)
    },
  }
}

/** The members of a session that nobody watches. */
const bound = (session: Session): Omit<Session, 'call' | 'publish' | 'watch'> => ({
  realm_uri: session.realm_uri,
  isOpen: session.isOpen,
  register: session.register.bind(session),
  subscribe: session.subscribe.bind(session),
  withdraw: session.withdraw.bind(session),
  leave: session.leave.bind(session),
})
