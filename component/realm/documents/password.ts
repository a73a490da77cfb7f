/** Passwords: their stored form, and how they are checked, on other threads. */
import { argon2, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { Semaphore } from '#component/limits/semaphore.ts'

/** The secret that is stored instead of a password, for salted WAMP-CRA. */
export interface WampCraSecret {
  readonly salt: string
  readonly iterations: number
  readonly keylen: number
  /**
   * PBKDF2-HMAC-SHA256 of the password, base64: the key of the client's signature. As good as the password on this realm,
   * so that it is sealed under `store.key`.
   */
  readonly secret: { readonly sealed: string }
}

/** The stored form of a password. */
export interface StoredPassword {
  /** A PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
  readonly argon2id: string
  /** Only where the realm serves WAMP-CRA. */
  readonly wampcra?: WampCraSecret
  /** The password itself, sealed: only where an external router needs it for WAMP-CRA. */
  readonly sealed?: string
}

/** OWASP Password Storage: argon2id with 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const tagLength = 32

/** OWASP Password Storage: PBKDF2-HMAC-SHA256. */
export const wampCraRounds = 600_000
/** Bytes of a WAMP-CRA key. */
export const wampCraKeyLength = 32

/** Half of the processors are left to requests, and one of the four threads that Node has for files and signatures, too. */
const atOnce = Math.max(1, Math.min(3, Math.floor(availableParallelism() / 2)))

/** At most 256 checks wait, so that each is answered within seconds. */
const checks = new Semaphore({
  ...{ atOnce, waiting: 256 },
  refusal: 'too many passwords are being checked: try again',
})

/** Realms have thousands of users, and are loaded while others log in. */
const derivations = new Semaphore({ atOnce, waiting: Number.POSITIVE_INFINITY, refusal: '' })

const runArgon2 = promisify(argon2)
const runPbkdf2 = promisify(pbkdf2)

/** The parts of a PHC string. */
interface Phc {
  readonly costs: typeof cost
  readonly nonce: Buffer
  readonly tag: Buffer
}

const hash = (password: string, nonce: Uint8Array, costs: Phc['costs']) =>
  // RFC 8265 §4.2: keyboards and systems write one text in several ways
  runArgon2('argon2id', { message: password.normalize(), nonce, tagLength, ...costs })

async function derive(password: string): Promise<Phc> {
  const nonce = randomBytes(16)
  return { costs: cost, nonce, tag: await hash(password, nonce, cost) }
}

function writePhc({ costs: { memory, passes, parallelism }, nonce, tag }: Phc): string {
  const [salt, hashed] = [nonce, tag].map((one) => one.toString('base64').replaceAll('=', ''))
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${salt}$${hashed}`
}

/** A PHC string of at most 10 passes and 4 lanes, with a salt of 8 to 64 bytes and a hash of {@link tagLength}. */
const phc =
  /^\$argon2id\$v=19\$m=(\d{1,6}),t=([1-9]|10),p=([1-4])\$([A-Za-z\d+/]{11,86})\$([A-Za-z\d+/]{43})$/

/** KiB. A stored hash may come from another node: a check must not exhaust the memory of this one. */
const maxMemory = 262_144

/** The parts of a stored hash; undefined when it is malformed, or costs more than this node allows. */
function readPhc(text: string): Phc | undefined {
  const [, memory, passes, parallelism, salt = '', tag = ''] = phc.exec(text) ?? []
  const costs = {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
  }
  const isAllowed = costs.memory >= 8 * costs.parallelism && costs.memory <= maxMemory
  const bytes = (base64: string) => Buffer.from(base64, 'base64')
  return isAllowed ? { costs, nonce: bytes(salt), tag: bytes(tag) } : undefined
}

/** The hash that is checked for unknown users, so that they take as long as wrong passwords. */
let decoy: Promise<Phc> | undefined

async function matches(password: string, stored: StoredPassword | undefined): Promise<boolean> {
  decoy ??= derive(randomBytes(16).toString('hex'))
  const own = stored && readPhc(stored.argon2id)
  const { costs, nonce, tag } = own ?? (await decoy)
  const found = await hash(password, nonce, costs)
  return timingSafeEqual(found, tag) && own !== undefined
}

/**
 * Whether the password is that of the user. An unknown user (undefined) takes as long.
 * @throws ServiceError `service.error.unavailable` when too many log in at once
 */
export const isPassword = (
  password: string,
  stored: StoredPassword | undefined,
): Promise<boolean> => checks.run(() => matches(password, stored))

async function deriveWampCra(
  password: string,
  iterations: number,
  seal: (key: string) => string,
): Promise<WampCraSecret> {
  const [salt, keylen] = [randomBytes(16).toString('base64'), wampCraKeyLength]
  const key = await runPbkdf2(password.normalize(), salt, iterations, keylen, 'sha256')
  return { salt, iterations, keylen, secret: { sealed: seal(key.toString('base64')) } }
}

/**
 * The stored form of a password; computed on another thread.
 * @param stored the present stored form: the parts that were made of the same password are kept
 * @param rounds of PBKDF2; undefined where the realm does not serve WAMP-CRA
 * @param seal seals the WAMP-CRA secret
 */
export const hashPassword = (
  password: string,
  stored: StoredPassword | undefined,
  rounds: number | undefined,
  seal: (key: string) => string,
): Promise<StoredPassword> =>
  derivations.run(async () => {
    const kept = stored && (await matches(password, stored)) ? stored : undefined
    const [argon2id, wampcra] = await Promise.all([
      kept?.argon2id ?? derive(password).then(writePhc),
      rounds === undefined || kept?.wampcra ? undefined : deriveWampCra(password, rounds, seal),
    ])
    return { ...kept, argon2id, ...(wampcra && { wampcra }) }
  })
