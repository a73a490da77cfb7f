/** The keys that realms sign with: made on first use, sealed under `store.key`, replicated, rotated. */

import { randomBytes } from 'node:crypto'
import type { JWK } from 'jose'
import { exportJWK } from 'jose/key/export'
import { generateKeyPair } from 'jose/key/generate/keypair'
import { importJWK } from 'jose/key/import'
import { type Clock, secondsOf } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import type { Document, Draft } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { SecretBox } from '#component/secret-box.ts'
import { type KeyDocument, KeyRing, type PublicJwk } from './key-ring.ts'

/** A private key that signs tokens, with its id. */
export interface SigningKey {
  readonly kid: string
  readonly key: CryptoKey
}

/** The dependencies of {@link RealmKeys}. */
export interface KeyPorts {
  readonly replica: Pick<Replica, 'change' | 'entries' | 'watch'>
  readonly box: SecretBox
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info' | 'error'>
  /** Of everything that is signed: access tokens and tickets. Seconds. */
  readonly longestLifetime: number
  /** How long a key is published before it signs, so that cached copies of the JWK Set contain it by then. Seconds. */
  readonly lead?: number
}

const defaultLead = 300
const alg = 'ES256'

/** A key of a realm, with its imported halves. */
interface RealmKey extends KeyDocument {
  publicKey?: CryptoKey | Promise<CryptoKey>
  /** undefined: it cannot be opened here. */
  privateKey?: Promise<CryptoKey | undefined>
}

const purposeOf = (kid: string): string => `realm_key ${kid}`

/** The keys of all realms. Methods that make or remove keys throw `service.error.unavailable`; then nothing has changed. */
export class RealmKeys {
  readonly #ports: KeyPorts
  #rings: ReadonlyMap<string, KeyRing<RealmKey>> = new Map()
  /** So that imported keys stay when other keys change. */
  readonly #known = new WeakMap<Document, RealmKey>()

  /** Called after keys have come or gone; a new key signs once this has resolved. */
  onChange: () => void | Promise<void> = () => undefined

  constructor(ports: KeyPorts) {
    this.#ports = ports
  }

  /** Reads the keys of the replica, and follows their changes. */
  start(): void {
    this.#ports.replica.watch('realm_key', () => {
      this.#read()
      return this.onChange()
    })
    this.#read()
  }

  /** The key that the realm signs with now. The first use makes one. */
  async signingKey(realm_uri: string): Promise<SigningKey> {
    return (await this.#signer(realm_uri)) ?? this.#makeFirst(realm_uri)
  }

  /** The public key of this id, if it is one of the realm and not retired. Cheap: two lookups once it has been used. */
  verifyingKey(realm_uri: string, kid: string): Promise<CryptoKey> | CryptoKey | undefined {
    const key = this.#rings.get(realm_uri)?.find(kid, this.#now())
    if (!key) return undefined
    if (key.publicKey === undefined) {
      const imported = importPublic(key)
      // a caller that only asks whether the key exists does not await it
      imported.catch(() => undefined)
      key.publicKey = imported
    }
    return key.publicKey
  }

  /** The JWK Set of a realm (RFC 7517 §5): the next, the active and the verifying keys; empty before the first use. */
  jwks(realm_uri: string): { readonly keys: readonly JWK[] } {
    const keys = this.#rings.get(realm_uri)?.live(this.#now()) ?? []
    return { keys: keys.map(({ kid, public_jwk }) => ({ ...public_jwk, kid, alg, use: 'sig' })) }
  }

  /**
   * Makes the next key of a realm: published at once, signing after the lead; a first one signs at once. Forgets retired
   * keys.
   */
  async rotate(realm_uri: string): Promise<{ readonly kid: string; readonly active_from: number }> {
    const { lead = defaultLead } = this.#ports
    const now = this.#now()
    const newest = this.#rings.get(realm_uri)?.keys.at(-1)
    const active_from = newest ? Math.max(now + lead, newest.active_from + 1) : now
    const document = await this.#newKey(realm_uri, active_from)
    await this.#ports.replica.change('realm_key', () => [
      ...this.#tombstones(this.#rings.get(realm_uri)?.retired(this.#now())),
      draftOf(document),
    ])
    return { kid: document.kid, active_from }
  }

  /** Forgets all keys of a realm: whatever they signed is refused from now on. */
  async remove(realm_uri: string): Promise<void> {
    await this.#ports.replica.change('realm_key', () =>
      this.#tombstones(this.#rings.get(realm_uri)?.keys),
    )
  }

  #now(): number {
    return secondsOf(this.#ports.clock)
  }

  #tombstones(keys: readonly RealmKey[] = []): Draft[] {
    return keys.map(({ kid }) => ({ id: kid, document: null }))
  }

  #read(): void {
    const documents = this.#ports.replica.entries('realm_key').flatMap(({ document }) => {
      return document && isKeyDocument(document) ? [document] : []
    })
    const byRealm = Map.groupBy(documents.map(this.#keyOf), ({ realm_uri }) => realm_uri)
    this.#rings = new Map(
      Array.from(byRealm, ([realm_uri, keys]) => [
        realm_uri,
        new KeyRing(keys, this.#ports.longestLifetime),
      ]),
    )
  }

  #keyOf = (document: Document): RealmKey => {
    const known = this.#known.get(document)
    if (known) return known
    const key: RealmKey = { ...(document as unknown as KeyDocument) }
    this.#known.set(document, key)
    return key
  }

  async #signer(realm_uri: string): Promise<SigningKey | undefined> {
    for (const key of this.#rings.get(realm_uri)?.signers(this.#now()) ?? []) {
      key.privateKey ??= this.#open(key)
      const privateKey = await key.privateKey
      if (privateKey) return { kid: key.kid, key: privateKey }
    }
    return undefined
  }

  async #open({ kid, realm_uri, private_jwk }: RealmKey): Promise<CryptoKey | undefined> {
    const { box, log } = this.#ports
    const opened = box.open(private_jwk, purposeOf(kid))
    try {
      if (opened !== undefined) return (await importJWK(JSON.parse(opened), alg)) as CryptoKey
    } catch (err) {
      log.error({ err, kid, realm_uri }, 'the signing key of the realm is malformed')
      return undefined
    }
    const message = 'the signing key of the realm cannot be opened with this store.key'
    log.error({ kid, realm_uri }, message)
    return undefined
  }

  async #makeFirst(realm_uri: string): Promise<SigningKey> {
    // one after the other: of several that ask at once, the first makes it
    const [change] = await this.#ports.replica.change('realm_key', async () =>
      (await this.#signer(realm_uri)) ? [] : [draftOf(await this.#newKey(realm_uri, this.#now()))],
    )
    const made = await this.#signer(realm_uri)
    if (!made) {
      throw new ServiceError('service.error.unavailable', 'no signing key is available')
    }
    if (change) {
      this.#ports.log.info(
        { realm_uri, kid: made.kid },
        'the first signing key of the realm was created',
      )
    }
    return made
  }

  async #newKey(realm_uri: string, active_from: number): Promise<KeyDocument> {
    const { privateKey } = await generateKeyPair(alg, { extractable: true })
    const jwk = await exportJWK(privateKey)
    const kid = randomBytes(12).toString('base64url')
    const { kty, crv, x, y } = jwk as PublicJwk
    return {
      realm_uri,
      kid,
      alg,
      public_jwk: { kty, crv, x, y },
      private_jwk: this.#ports.box.seal(JSON.stringify(jwk), purposeOf(kid)),
      created_at: this.#now(),
      active_from,
    }
  }
}

const draftOf = (document: KeyDocument): Draft => ({ id: document.kid, document: { ...document } })

/** Whether the document is a key. Another node or version may have written something else, whose times would retire keys. */
const isKeyDocument = ({ realm_uri, kid, public_jwk, active_from }: Document): boolean =>
  typeof realm_uri === 'string' &&
  typeof kid === 'string' &&
  typeof public_jwk === 'object' &&
  public_jwk !== null &&
  Number.isSafeInteger(active_from)

async function importPublic(key: RealmKey): Promise<CryptoKey> {
  const publicKey = (await importJWK(key.public_jwk, alg)) as CryptoKey
  key.publicKey = publicKey
  return publicKey
}
