/** Sessions and streams that tell what is sent over them before it leaves. */
import type { SubscribePorts } from '#component/action/wamp-subscribe/perform.ts'
import type { Identity } from '#component/identity.ts'
import {
  type IdentitySetting,
  isForwarded,
  isOfGateway,
  type Payload,
  type Session,
} from '#component/wamp/session.ts'

/** A WAMP message in the words of the document. */
export interface ToldMessage extends Partial<Payload> {
  readonly realm_uri: string
  /** Whose session it is; null: the gateway's own. */
  readonly session_of: string | null
  /** In whose name it is sent, where that session is the gateway's; its first role is what callees see as the role of the caller. */
  readonly forwarded_for?: ForwardedFor
  readonly procedure?: string
  readonly topic?: string
  readonly options: Readonly<Record<string, unknown>>
}

/** The call that a subscription makes for its snapshot. */
export type ToldSnapshot = Pick<ToldMessage, 'procedure' | 'options' | 'args' | 'kwargs'>

/** Takes what is told. */
export interface Teller {
  /** Of an action. */
  onMessage(message: ToldMessage): void
  onSnapshot(snapshot: ToldSnapshot): void
}

/** What WAMP actions are performed with. */
type WampParts = Pick<SubscribePorts, 'sessions' | 'streams'>

/** The user whom callees and subscribers see. */
type ForwardedFor = Pick<Identity, 'authid' | 'authroles'>

/** A session that tells. */
interface ToldSession extends Pick<ToldMessage, 'session_of' | 'forwarded_for'> {
  /** The one that it stands for: streams share subscriptions by it. */
  readonly session: Session
  isSubscribed: boolean
}

/** @param setting `wamp.identity` */
export function toldParts(
  { sessions, streams }: WampParts,
  setting: IdentitySetting | undefined,
  teller: Teller,
): WampParts {
  const known = new WeakMap<Session, ToldSession>()
  const told = (session: Session, as: Pick<ToldSession, 'session_of' | 'forwarded_for'>) => {
    const of: ToldSession = { session, ...as, isSubscribed: false }
    const telling = tellingSession(of, teller)
    known.set(telling, of)
    return telling
  }
  return {
    sessions: {
      session: (realm_uri, identity, connectTimeoutMs, uri) => {
        const { authid, authroles } = identity
        const as = isForwarded(identity, realm_uri, setting, uri)
          ? { session_of: null, forwarded_for: { authid, authroles } }
          : { session_of: isOfGateway(identity, setting) ? null : authid }
        const found = sessions.session(realm_uri, identity, connectTimeoutMs, uri)
        return found instanceof Promise
          ? found.then((session) => told(session, as))
          : told(found, as)
      },
    },
    streams: {
      admit: (applicant) => streams.admit(applicant),
      open: (telling, owner, wanted, timeoutMs, place) => {
        const of = known.get(telling)
        if (of === undefined) throw new TypeError('a session of these parts')
        of.isSubscribed = true
        const { topic, match } = wanted
        const options = { ...wanted.options, match }
        teller.onMessage({ ...originOf(of), topic, options })
        return streams.open(of.session, owner, wanted, timeoutMs, place)
      },
    },
  }
}

const originOf = ({ session, session_of, forwarded_for }: ToldSession) => ({
  realm_uri: session.realm_uri,
  session_of,
  ...(forwarded_for && { forwarded_for }),
})

function tellingSession(of: ToldSession, teller: Teller): Session {
  const { session } = of
  const from = originOf(of)
  return {
    ...bound(session),
    call: (procedure, payload, asked, timeoutMs, onProgress, progressTimeoutMs) => {
      // as the session does
      const options = onProgress ? { ...asked, receive_progress: true } : asked
      if (of.isSubscribed) teller.onSnapshot({ procedure, ...payload, options })
      else teller.onMessage({ ...from, procedure, ...payload, options })
      return session.call(procedure, payload, asked, timeoutMs, onProgress, progressTimeoutMs)
    },
    publish: (topic, payload, options, timeoutMs) => {
      teller.onMessage({ ...from, topic, ...payload, options })
      return session.publish(topic, payload, options, timeoutMs)
    },
  }
}

/** The members of a session that nobody watches. */
const bound = (session: Session): Omit<Session, 'call' | 'publish'> => ({
  realm_uri: session.realm_uri,
  isOpen: session.isOpen,
  passesTraceContext: session.passesTraceContext,
  register: session.register.bind(session),
  subscribe: session.subscribe.bind(session),
  watch: session.watch.bind(session),
  withdraw: session.withdraw.bind(session),
  leave: session.leave.bind(session),
})
