/** Passwords: what is stored in their place, and how they are checked; never blocking. */
import { argon2, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** The secret of salted WAMP-CRA: as good as the password on this realm, so it never leaves the store. */
interface WampCraSecret {
  readonly salt: string
  readonly iterations: number
  readonly keylen: number
  /** PBKDF2-HMAC-SHA256 of the password, base64: the key of the client's signature. */
  readonly secret: string
}

/** What is stored in the place of a password. */
export interface ProtectedPassword {
  /** A PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
  readonly argon2id: string
  readonly wampcra: WampCraSecret
  /** The password itself, sealed: only where an external router needs it for WAMP-CRA. */
  readonly sealed?: string
}

/** OWASP Password Storage: argon2id with 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const
const tagLength = 32

/** Clients derive the key in JavaScript while they wait, so fewer rounds than a stored hash would have. */
const iterations = 10_000
const keylen = 32

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

/** Derives everything that is stored; about 50 ms on another thread. */
export async function protectPassword(password: string): Promise<ProtectedPassword> {
  const nonce = randomBytes(16)
  const salt = randomBytes(16).toString('base64')
  const [tag, key] = await Promise.all([
    hash(password, nonce, cost),
    runPbkdf2(password, salt, iterations, keylen, 'sha256'),
  ])
  const costs = `m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`
  return {
    argon2id: `$argon2id$v=19$${costs}$${unpadded(nonce)}$${unpadded(tag)}`,
    wampcra: { salt, iterations, keylen, secret: key.toString('base64') },
  }
}

/** The parts of a PHC string that {@link protectPassword} wrote. */
function readPhc(text: string): { costs: Costs; nonce: Buffer; tag: Buffer } {
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

/** Checked in the place of somebody who is not there, so that unknown users take as long as wrong passwords. */
let nobody: Promise<ProtectedPassword> | undefined

/** Is it the password? As slow for nobody (undefined) as for somebody. */
export async function isPassword(
  password: string,
  stored: ProtectedPassword | undefined,
): Promise<boolean> {
  nobody ??= protectPassword(randomBytes(16).toString('hex'))
  const { costs, nonce, tag } = readPhc((stored ?? (await nobody)).argon2id)
  const found = await hash(password, nonce, costs)
  return timingSafeEqual(found, tag) && stored !== undefined
}
