/** Proves who a peer is, by a realm document: anonymous, ticket, salted WAMP-CRA, cryptosign (WAMP: Authentication). */
import {
  createHmac,
  createPublicKey,
  randomBytes,
  randomUUID,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import type { SecretBox } from '#component/secret-box.ts'
import type { Realm, User } from './model.ts'
import { isPassword } from './password.ts'
import type { SessionTickets } from './session-ticket.ts'

/** What a peer says of itself, as the router hands it over. */
export interface Hello {
  readonly realm: string
  readonly session: number
  readonly authid: string | undefined
  readonly authmethod: string
  readonly authextra: Readonly<Record<string, unknown>>
  readonly peer: {
    readonly address: string
    readonly isInProcess: boolean
    /** An external router asks: the gateway's own sessions, too, are among its clients. */
    readonly isRelayed?: boolean
  }
}

/** The peer is who it says. */
export interface Welcome {
  readonly kind: 'welcome'
  readonly authid: string
  readonly authroles: readonly string[]
  /** How a user of the gateway had logged in there, whose session this is. */
  readonly authmethod?: string
  /** Is the ticket that it came with refused by now? */
  readonly isRevoked?: () => boolean
}

/** What the peer must prove. */
export interface Challenge {
  readonly kind: 'challenge'
  readonly challenge: 'ticket' | 'wampcra' | 'cryptosign'
  readonly extra: Readonly<Record<string, unknown>>
  /** Who it would be, for a router that checks the proof itself; undefined for nobody. Never told to the peer. */
  readonly user?: User | undefined
  check(signature: string): Promise<Welcome | undefined>
}

/** The peer may not join. */
export interface Refusal {
  readonly kind: 'refuse'
  readonly reason: string
  readonly message: string
}

/** Who a service ticket was issued to: a ticket that WAMP clients join with instead of a password. */
interface TicketHolder {
  readonly authid: string
  readonly authroles: readonly string[]
  /** Asked as long as the session lives. */
  readonly isRevoked?: () => boolean
}

/** What tickets are taken, beside passwords. */
export interface TicketPorts {
  /** Those of the gateway itself, for sessions of its users. */
  readonly sessionTickets?: Pick<SessionTickets, 'redeem'> | undefined
  /** Service tickets; undefined for what is none, or is valid no more. */
  readonly verifyTicket?:
    | ((
        realm_uri: string,
        ticket: string,
      ) => TicketHolder | undefined | Promise<TicketHolder | undefined>)
    | undefined
}

/** What proofs are checked with, beside the realm. */
export interface ProofPorts extends TicketPorts {
  /** Lets a password be tried, as far as guessing is limited; undefined: wrong, or not tried. */
  readonly guess: (prove: () => Promise<Welcome | undefined>) => Promise<Welcome | undefined>
  readonly secrets: Pick<SecretBox, 'derive'>
}

/** The role that the gateway's own session has, and nobody else gets. */
export const gatewayRole = 'gateway'

const refuse = (message: string): Refusal => ({
  kind: 'refuse',
  reason: 'wamp.error.authentication_failed',
  message,
})

/** The roles of a user: the groups, never the gateway's; who has none is known by name. */
export function rolesOf({ username, groups }: Pick<User, 'username' | 'groups'>): string[] {
  const roles = groups.filter((group) => group !== gatewayRole)
  if (roles.length === 0 && username !== gatewayRole) roles.push(username)
  return roles
}

/** Is what proves who a user is the same in two versions of it: its password, and its keys? */
export const hasSameProof = (one: User, other: User): boolean =>
  one.password?.argon2id === other.password?.argon2id &&
  one.authorized_keys.toSorted().join() === other.authorized_keys.toSorted().join()

const welcome = (user: User): Welcome => ({
  kind: 'welcome',
  authid: user.username,
  authroles: rolesOf(user),
})

/** A ticket gives the roles that it was made for, as far as the user still has them. */
function welcomeHolder(user: User, { authroles, ...more }: Omit<TicketHolder, 'authid'>): Welcome {
  const roles = rolesOf(user)
  return { ...welcome(user), ...more, authroles: authroles.filter((role) => roles.includes(role)) }
}

/** May the user use the method from there? A realm without sources admits everybody from everywhere. */
export function mayUse(
  realm: Realm,
  authmethod: string,
  username: string,
  address: string,
): boolean {
  if (realm.sources === undefined) return true
  return realm.sources.some(
    (source) =>
      source.authmethod === authmethod &&
      (source.usernames === 'all' || source.usernames.includes(username)) &&
      source.isFrom(address),
  )
}

/** Header, claims and signature of a JWT (RFC 7519). */
const isJwt = (text: string): boolean => text.split('.').length === 3

const mayBeOwn = ({ isInProcess, isRelayed }: Hello['peer']) => isInProcess || isRelayed === true

/** Whoever may have a ticket of the gateway's own presents it from within; others, where `isServed`, their own. */
function challengeTicket(
  realm: Realm,
  authid: string,
  peer: Hello['peer'],
  { sessionTickets, verifyTicket, guess }: ProofPorts,
): Challenge {
  const found = realm.users.get(authid)
  const isServed = realm.authmethods.includes('ticket')
  const user = isServed && mayUse(realm, 'ticket', authid, peer.address) ? found : undefined
  return {
    kind: 'challenge',
    challenge: 'ticket',
    extra: {},
    async check(ticket) {
      const own = mayBeOwn(peer) ? sessionTickets?.redeem(ticket, realm.uri, authid) : undefined
      if (own) return found && welcomeHolder(found, own)
      const holder = isJwt(ticket) ? await verifyTicket?.(realm.uri, ticket) : undefined
      if (holder) {
        const { authid: _, ...more } = holder
        return user && holder.authid === authid ? welcomeHolder(user, more) : undefined
      }
      return guess(async () =>
        (await isPassword(ticket, user?.password)) && user ? welcome(user) : undefined,
      )
    },
  }
}

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b)

/** Users nobody has heard of get a salt like others: always the same, on every node, so that it tells nothing. */
const saltOfNobody = ({ secrets }: ProofPorts, realm_uri: string, authid: string): string =>
  secrets.derive('wampcra salt of nobody', realm_uri, authid).subarray(0, 16).toString('base64')

function challengeWampCra(
  realm: Realm,
  authid: string,
  { peer, session }: Hello,
  nowMs: number,
  ports: ProofPorts,
): Challenge {
  const isAdmitted = mayUse(realm, 'wampcra', authid, peer.address)
  const user = isAdmitted ? realm.users.get(authid) : undefined
  const { salt, iterations, keylen, secret } = user?.password?.wampcra ?? {
    salt: saltOfNobody(ports, realm.uri, authid),
    iterations: 10_000,
    keylen: 32,
    secret: randomBytes(32).toString('base64'),
  }
  const challenge = JSON.stringify({
    authid,
    // who the peer would be is not told before it has proved it
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
        const expected = createHmac('sha256', secret).update(challenge).digest()
        const isRight = isSame(Buffer.from(signature, 'base64'), expected)
        return isRight && user ? welcome(user) : undefined
      }),
  }
}

/** The DER head of an Ed25519 public key (RFC 8410 §4); the 32 bytes of the key follow. */
const spkiHead = Buffer.from('302a300506032b6570032100', 'hex')

function isSigned(key: string, challenge: Buffer, signature: string): boolean {
  // the signature, then what was signed, as the clients send it
  const bytes = Buffer.from(signature.slice(0, 128), 'hex')
  if (bytes.length !== 64) return false
  const der = Buffer.concat([spkiHead, Buffer.from(key, 'hex')])
  try {
    return verify(
      null,
      challenge,
      createPublicKey({ key: der, format: 'der', type: 'spki' }),
      bytes,
    )
  } catch {
    return false // the bytes are no point of the curve, so nothing is signed with them
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
  hello: Hello,
  nowMs: number,
  ports: ProofPorts,
): Welcome | Challenge | Refusal {
  const { authmethod, authid, peer } = hello
  const isWithin = authmethod === 'ticket' && mayBeOwn(peer) && ports.sessionTickets
  if (!realm.authmethods.includes(authmethod) && !isWithin) {
    return refuse('the realm does not serve this method')
  }
  if (authmethod === 'anonymous') {
    return mayUse(realm, authmethod, 'anonymous', peer.address)
      ? { kind: 'welcome', authid: 'anonymous', authroles: ['anonymous'] }
      : refuse('the realm admits nobody without credentials from there')
  }
  if (authmethod === 'cryptosign') return authenticateByKey(realm, hello)
  if (authid === undefined) return refuse('expected an authid')
  if (authmethod === 'ticket') return challengeTicket(realm, authid, peer, ports)
  if (authmethod !== 'wampcra') return refuse('the method is not served over WAMP')
  return challengeWampCra(realm, authid, hello, nowMs, ports)
}
