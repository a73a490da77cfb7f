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
   * so that it is sealed under `store.key`; earlier versions stored it in the clear.
   */
  readonly secret: string | { readonly sealed: string }
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
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const
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

const unpadded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '')

const hash = (password: string, nonce: Uint8Array, costs: typeof cost | Costs) =>
  runArgon2('argon2id', { message: password, nonce, tagLength, ...costs })

interface Costs {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

async function deriveHash(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await hash(password, nonce, cost)
  const costs = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
  return `$argon2id$v=19$${costs}$${unpadded(nonce)}$${unpadded(tag)}`
}

async function deriveWampCra(password: string, iterations: number) {
  const [salt, keylen] = [randomBytes(16).toString('base64'), wampCraKeyLength]
  const key = await runPbkdf2(password, salt, iterations, keylen, 'sha256')
  return { salt, iterations, keylen, secret: key.toString('base64') }
}

/** Limits for stored hashes, which may come from other nodes: a check must not exhaust the memory and time of this one. */
const maxCosts: Costs = { memory: 262_144, passes: 10, parallelism: 4 }

/** The parts of a PHC string. */
interface Phc {
  readonly costs: Costs
  readonly nonce: Buffer
  readonly tag: Buffer
}

const isWithin = (value: number, least: number, most: number): boolean =>
  Number.isInteger(value) && value >= least && value <= most

/** Whether the hash is well-formed and its costs are within the limits. */
const isAffordable = ({ costs: { memory, passes, parallelism }, nonce, tag }: Phc): boolean =>
  isWithin(parallelism, 1, maxCosts.parallelism) &&
  isWithin(passes, 1, maxCosts.passes) &&
  isWithin(memory, 8 * parallelism, maxCosts.memory) &&
  isWithin(nonce.length, 8, 64) &&
  tag.length === tagLength

/** The parts of a PHC string that {@link hashPassword} wrote. */
function readPhc(text: string): Phc {
  const [, , , costs = '', nonce = '', tag = ''] = text.split('$')
  const numbers = Object.fromEntries(
    costs.split(',').map((pair) => [pair.slice(0, 1), Number(pair.slice(2))]),
  )
  return {
    costs: {
      memory: numbers.m ?? cost.memory,
      passes: numbers.t ?? cost.passes,
      parallelism: numbers.p ?? cost.parallelism,
    },
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

/** The hash that is checked for unknown users, so that they take as long as wrong passwords. */
let decoyHash: Promise<string> | undefined

async function matches(password: string, stored: StoredPassword | undefined): Promise<boolean> {
  decoyHash ??= deriveHash(randomBytes(16).toString('hex'))
  const own = stored && readPhc(stored.argon2id)
  const isChecked = own !== undefined && isAffordable(own)
  const { costs, nonce, tag } = isChecked ? own : readPhc(await decoyHash)
  const found = await hash(password, nonce, costs)
  return timingSafeEqual(found, tag) && isChecked
}

/**
 * Whether the password is that of the user. An unknown user (undefined) takes as long.
 * @throws ServiceError `service.error.unavailable` when too many log in at once
 */
export const isPassword = (
  password: string,
  stored: StoredPassword | undefined,
): Promise<boolean> => checks.run(() => matches(password, stored))

/**
 * The stored form of a password, with the WAMP-CRA secret not yet sealed; computed on another thread.
 * @param stored the present stored form: the parts that were made of the same password are kept
 * @param rounds of PBKDF2; undefined where the realm does not serve WAMP-CRA
 */
export const hashPassword = (
  password: string,
  stored: StoredPassword | undefined,
  rounds: number | undefined,
): Promise<StoredPassword> =>
  derivations.run(async () => {
    const isSame = stored !== undefined && (await matches(password, stored))
    const isStrong = isSame && (stored.wampcra?.iterations ?? 0) >= (rounds ?? 0)
    const [argon2id, wampcra] = await Promise.all([
      isSame ? stored.argon2id : deriveHash(password),
      rounds === undefined || isStrong ? undefined : deriveWampCra(password, rounds),
    ])
    return isSame
      ? { ...stored, ...(wampcra && { wampcra }) }
      : { argon2id, ...(wampcra && { wampcra }) }
  })
