/** Proves who a peer is, by a realm document: anonymous, ticket, salted WAMP-CRA, cryptosign (WAMP: Authentication). */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Realm, User } from '#component/realm/documents/model.ts'
import { isPassword, wampCraKeyLength, wampCraRounds } from '#component/realm/documents/password.ts'
import { openWampCra } from '#component/realm/documents/secrets.ts'
import type {
  Peer,
  Refusal,
  Challenge as RouterChallenge,
  Hello as RouterHello,
  Welcome,
} from '#component/router/ports.ts'
import type { SecretBox } from '#component/secret-box.ts'
import { isSigned } from './ed25519.ts'
import { gatewayRole, isProvedElsewhere, mayUse, rolesOf } from './logins.ts'
import type { SessionTickets } from './session-ticket.ts'

/** The claims of a peer in HELLO, as the embedded or an external router passes them on. */
export interface Hello extends RouterHello {
  readonly peer: Peer & {
    /** An external router asks: the gateway's own sessions, too, are among its clients. */
    readonly isRelayed?: boolean
  }
}

/** A challenge that the peer must answer. */
export interface Challenge extends RouterChallenge {
  /** The user to be proved, for a router that checks the proof itself; undefined for an unknown user. Never sent to the peer. */
  readonly user?: User | undefined
}

/** The user that a service ticket, or an access token of another issuer, was issued to: WAMP clients join with it instead of a password. */
type TicketHolder = Omit<Welcome, 'kind'>

type VerifyTicket = (
  realm_uri: string,
  ticket: string,
  /** IP address of the client. */
  address: string,
) => TicketHolder | undefined | Promise<TicketHolder | undefined>

/** The tickets and cookies that are accepted beside passwords. */
export interface TicketPorts {
  /** Those of the gateway itself, for sessions of its users. */
  readonly sessionTickets?: Pick<SessionTickets, 'redeem'> | undefined
  /** Verifies a service ticket, or an access token of another issuer; undefined for an invalid one. */
  readonly verifyTicket?: VerifyTicket | undefined
  /** The same for the ticket cookie of the realm in a Cookie field. */
  readonly verifyCookie?: VerifyTicket | undefined
  /** Whether users whom others prove by this method may have the name; without this port none may. */
  readonly isKnown?:
    | ((realm_uri: string, authid: string, authmethod: string) => boolean)
    | undefined
}

/** The dependencies of checking proofs, beside the realm. */
export interface ProofPorts extends TicketPorts {
  /** Lets a password be tried, as far as guessing is limited; undefined: wrong, or not tried. */
  readonly guess: (prove: () => Promise<Welcome | undefined>) => Promise<Welcome | undefined>
  readonly secrets: Pick<SecretBox, 'derive' | 'open'>
}

const refuse = (message: string): Refusal => ({
  kind: 'refuse',
  reason: 'wamp.error.authentication_failed',
  message,
})

const welcome = (user: User): Welcome => ({
  kind: 'welcome',
  authid: user.username,
  authroles: rolesOf(user),
})

/**
 * The user of a ticket, or of a request at this gateway, with the roles that it was made for: those that others give, else as far as the
 * user still has them. Undefined for a user who has gone.
 */
export function welcomeHolder(
  realm: Realm,
  { authid, authroles, ...more }: TicketHolder,
  { isKnown }: TicketPorts,
): Welcome | undefined {
  const { authmethod } = more
  if (authmethod !== undefined && isProvedElsewhere(authmethod)) {
    if (!isKnown?.(realm.uri, authid, authmethod)) return undefined
    const roles = authroles.filter((role) => role !== gatewayRole)
    return { kind: 'welcome', authid, authroles: roles, ...more }
  }
  const user = realm.users.get(authid)
  if (!user) return undefined
  const roles = rolesOf(user)
  return { ...welcome(user), ...more, authroles: authroles.filter((role) => roles.includes(role)) }
}

/** Header, claims and signature of a JWT (RFC 7519). */
const isJwt = (text: string): boolean => text.split('.').length === 3

const mayBeOwn = ({ isInProcess, isRelayed }: Hello['peer']) => isInProcess || isRelayed === true

/**
 * Peers in this process, and those that an external router asks about, may present a session ticket of the gateway. Where
 * `isServed`, every peer may present a service ticket or a password.
 */
function challengeTicket(
  realm: Realm,
  authid: string,
  peer: Hello['peer'],
  ports: ProofPorts,
): Challenge {
  const { sessionTickets, verifyTicket, guess } = ports
  const isServed = realm.authmethods.includes('ticket')
  const isAdmitted = isServed && mayUse(realm, 'ticket', authid, peer.address)
  const user = isAdmitted ? realm.users.get(authid) : undefined
  return {
    kind: 'challenge',
    challenge: 'ticket',
    extra: {},
    async check(ticket) {
      const own = mayBeOwn(peer) ? sessionTickets?.redeem(ticket, realm.uri, authid) : undefined
      if (own) return welcomeHolder(realm, { authid, ...own }, ports)
      const holder = isJwt(ticket)
        ? await verifyTicket?.(realm.uri, ticket, peer.address)
        : undefined
      if (holder) {
        const isTheirs = isAdmitted && holder.authid === authid
        return isTheirs ? welcomeHolder(realm, withoutMethod(holder), ports) : undefined
      }
      return guess(async () =>
        (await isPassword(ticket, user?.password)) && user ? welcome(user) : undefined,
      )
    },
  }
}

/** A session has the method by which it joined; the method of the ticket counts only for users whom others prove. */
const withoutMethod = ({ authmethod, ...holder }: TicketHolder): TicketHolder =>
  authmethod !== undefined && isProvedElsewhere(authmethod) ? { ...holder, authmethod } : holder

/** Admits the user who has logged in in this browser, without a challenge: the cookie is the proof. */
async function authenticateByCookie(
  realm: Realm,
  { authid, peer }: Hello,
  tickets: TicketPorts,
): Promise<Welcome | Refusal> {
  const { cookie, address } = peer
  const holder =
    cookie === undefined ? undefined : await tickets.verifyCookie?.(realm.uri, cookie, address)
  const isTheirs = holder && (authid === undefined || authid === holder.authid)
  const isAdmitted = isTheirs && mayUse(realm, 'cookie', holder.authid, address)
  const found = isAdmitted ? welcomeHolder(realm, withoutMethod(holder), tickets) : undefined
  return found ?? refuse('expected the ticket cookie of the realm, from a listed origin')
}

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

/** Rounds of the WAMP-CRA secrets of a realm, the same for all of its users. */
const roundsOf = new WeakMap<Realm, number>()

/**
 * The salt and rounds for an unknown user: like those of real users and the same on every node, so that they do not tell
 * which users exist.
 */
function decoyChallenge({ secrets }: ProofPorts, realm: Realm, authid: string) {
  const bytes = secrets.derive('wampcra salt of nobody', realm.uri, authid)
  const users = () => [...realm.users.values()]
  const iterations =
    roundsOf.get(realm) ??
    users().find(({ password }) => password?.wampcra)?.password?.wampcra?.iterations ??
    wampCraRounds
  roundsOf.set(realm, iterations)
  return {
    salt: bytes.subarray(0, 16).toString('base64'),
    iterations,
    keylen: wampCraKeyLength,
  }
}

function challengeWampCra(
  realm: Realm,
  authid: string,
  { peer, session }: Hello,
  nowMs: number,
  ports: ProofPorts,
): Challenge {
  const isAdmitted = mayUse(realm, 'wampcra', authid, peer.address)
  const user = isAdmitted ? realm.users.get(authid) : undefined
  const stored = user?.password?.wampcra
  const { salt, iterations, keylen } = stored ?? decoyChallenge(ports, realm, authid)
  const owner = { realm_uri: realm.uri, username: authid }
  const challenge = JSON.stringify({
    authid,
    // the roles of the user stay secret until the proof
    authrole: 'user',
    authmethod: 'wampcra',
    authprovider: 'realm',
    nonce: randomUUID(),
    timestamp: new Date(nowMs).toISOString(),
    session,
  })
  return {
    kind: 'challenge',
    challenge: 'wampcra',
    extra: { challenge, salt, iterations, keylen },
    user,
    check: (signature) =>
      ports.guess(async () => {
        const secret = stored && openWampCra(stored, owner, ports.secrets)
        const expected = createHmac('sha256', secret ?? randomBytes(32))
          .update(challenge)
          .digest()
        const isRight = isSame(Buffer.from(signature, 'base64'), expected)
        return isRight && secret !== undefined && user ? welcome(user) : undefined
      }),
  }
}

function challengeCryptosign(user: User | undefined, pubkey: string): Challenge {
  const challenge = randomBytes(32)
  const owner = user?.authorized_keys.includes(pubkey) ? user : undefined
  return {
    kind: 'challenge',
    challenge: 'cryptosign',
    extra: { challenge: challenge.toString('hex'), channel_binding: null },
    user: owner,
    async check(signature) {
      return owner && isSigned(pubkey, challenge, signature) ? welcome(owner) : undefined
    },
  }
}

function authenticateByKey(realm: Realm, hello: Hello): Challenge | Refusal {
  const { pubkey } = hello.authextra
  if (typeof pubkey !== 'string' || pubkey.length !== 64) {
    return refuse('authextra.pubkey: expected a public key of 64 hex digits')
  }
  const key = pubkey.toLowerCase()
  const authid =
    hello.authid ??
    [...realm.users.values()].find((user) => user.authorized_keys.includes(key))?.username
  const isAdmitted = mayUse(realm, 'cryptosign', authid ?? '', hello.peer.address)
  return challengeCryptosign(isAdmitted ? realm.users.get(authid ?? '') : undefined, key)
}

/**
 * Asks a peer for proof, or refuses it. Unknown users, forbidden sources and wrong proofs look alike.
 * @param nowMs milliseconds since the epoch
 */
export function authenticate(
  realm: Realm,
  given: Hello,
  nowMs: number,
  ports: ProofPorts,
): Welcome | Challenge | Refusal | Promise<Welcome | Refusal> {
  // names are compared in NFC (RFC 8265 §3.3)
  const hello: Hello =
    given.authid === undefined ? given : { ...given, authid: given.authid.normalize() }
  const { authmethod, authid, peer } = hello
  const isWithin = authmethod === 'ticket' && mayBeOwn(peer) && ports.sessionTickets
  if (!realm.authmethods.includes(authmethod) && !isWithin) {
    return refuse('the realm does not support this authentication method')
  }
  if (authmethod === 'anonymous') {
    return mayUse(realm, authmethod, 'anonymous', peer.address)
      ? { kind: 'welcome', authid: 'anonymous', authroles: ['anonymous'] }
      : refuse('the realm does not admit anonymous sessions from this address')
  }
  if (authmethod === 'cryptosign') return authenticateByKey(realm, hello)
  if (authmethod === 'cookie') return authenticateByCookie(realm, hello, ports)
  if (authid === undefined) return refuse('expected an authid')
  if (authmethod === 'ticket') return challengeTicket(realm, authid, peer, ports)
  if (authmethod !== 'wampcra')
    return refuse('this authentication method is not available over WAMP')
  return challengeWampCra(realm, authid, hello, nowMs, ports)
}
