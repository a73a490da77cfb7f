/** Authenticates the gateway's own sessions: anonymous, ticket, WAMP-CRA, cryptosign (WAMP: Authentication). */
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  pbkdf2,
  sign,
} from 'node:crypto'
import { promisify } from 'node:util'

/** The keys of `wamp.auth` in the configuration. */
export interface JoinAuth {
  readonly authmethod: 'anonymous' | 'ticket' | 'wampcra' | 'cryptosign'
  readonly authid?: string | undefined
  /** The ticket, or the WAMP-CRA secret; a function is asked at each CHALLENGE, so that tickets may be for one use. */
  readonly secret?: string | (() => string) | undefined
  /** The Ed25519 private key: 32 bytes in hex, or PEM. */
  readonly key?: string | undefined
}

/** The credentials in HELLO, and the answer to a CHALLENGE. */
export interface Credentials {
  readonly authmethod: JoinAuth['authmethod']
  readonly authid: string | undefined
  readonly authextra: Readonly<Record<string, unknown>>
  /** @returns the signature; rejects when the challenge is not for this method */
  answer(method: string, extra: Readonly<Record<string, unknown>>): Promise<string>
}

const deriveKey = promisify(pbkdf2)

/** The DER head of a PKCS #8 Ed25519 key (RFC 8410 §7); the 32 bytes of the key follow. */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex')

function readKey(text: string): KeyObject {
  if (text.includes('-----BEGIN')) return createPrivateKey(text)
  const bytes = Buffer.from(text, 'hex')
  if (bytes.length !== 32) throw new TypeError('the cryptosign key is not 32 bytes in hex or PEM')
  return createPrivateKey({
    key: Buffer.concat([pkcs8Head, bytes]),
    format: 'der',
    type: 'pkcs8',
  })
}

/** The last 32 bytes of the DER form are the key itself (RFC 8410 §4). */
const publicHex = (key: KeyObject): string =>
  createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')

const integer = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : otherwise

/** HMAC-SHA256 over the challenge; a salted secret is derived by PBKDF2 first, off the main thread. */
async function answerWampCra(
  secret: string,
  extra: Readonly<Record<string, unknown>>,
): Promise<string> {
  let key = secret
  if (typeof extra.salt === 'string' && extra.salt !== '') {
    const iterations = integer(extra.iterations, 1000)
    const keylen = integer(extra.keylen, 32)
    key = (await deriveKey(secret, extra.salt, iterations, keylen, 'sha256')).toString('base64')
  }
  return createHmac('sha256', key).update(String(extra.challenge)).digest('base64')
}

function answerCryptosign(key: KeyObject, extra: Readonly<Record<string, unknown>>): string {
  const challenge = Buffer.from(String(extra.challenge), 'hex')
  return sign(null, challenge, key).toString('hex') + challenge.toString('hex')
}

/**
 * Makes credentials ready.
 * @throws TypeError when the method lacks its secret or key, without showing either
 */
export function credentials(auth: JoinAuth): Credentials {
  const { authmethod, authid, secret } = auth
  if (authmethod !== 'anonymous' && authid === undefined) {
    throw new TypeError(`${authmethod} needs an authid`)
  }
  if ((authmethod === 'ticket' || authmethod === 'wampcra') && secret === undefined) {
    throw new TypeError(`${authmethod} needs a secret`)
  }
  if (authmethod === 'cryptosign' && auth.key === undefined) {
    throw new TypeError('cryptosign needs a key')
  }
  const key = authmethod === 'cryptosign' ? readKey(auth.key ?? '') : undefined
  return {
    authmethod,
    authid,
    authextra: key ? { pubkey: publicHex(key), channel_binding: null } : {},
    async answer(method, extra) {
      if (method !== authmethod) throw new TypeError('the router asks for another method')
      if (key) return answerCryptosign(key, extra)
      const text = typeof secret === 'function' ? secret() : (secret ?? '')
      return method === 'wampcra' ? answerWampCra(text, extra) : text
    },
  }
}
