/** API keys: texts that let programs act for a user; shown once, kept as hashes (behaviour: OAuth2). */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type Clock, secondsOf } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { UserName } from '#component/identity.ts'
import type { Document, Draft } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { KeyUses } from './key-uses.ts'

/** A key as it is replicated: kind `api_key`. */
interface ApiKeyDocument {
  readonly realm_uri: string
  readonly username: string
  /**
   * SHA-256 of the secret part and the expiry, hex. The secret has 256 random bits, so that a fast hash suffices. A gateway of a version
   * that knows no expiry expects another hash: it refuses the key.
   */
  readonly hash: string
  /** Milliseconds since the epoch. */
  readonly created_at: number
  /** What the key is for, in words of the operator. */
  readonly name?: string
  /** When the key ends; seconds since the epoch. Absent: never. What is left of a revoked key has nothing else. */
  readonly exp?: number
}

/** The user who owns a key. */
export interface ApiKeyOwner {
  readonly id: string
  readonly realm_uri: string
  readonly username: string
  /** When the key ends; seconds since the epoch. Absent: never. */
  readonly exp?: number
}

/** A key that has just been made. */
export interface IssuedApiKey {
  readonly id: string
  /** `gk_<id>_<secret>`: it cannot be shown again. */
  readonly api_key: string
  /** When it was made. Milliseconds since the epoch. */
  readonly ts: number
  /** When it ends; seconds since the epoch. Absent: never. */
  readonly exp?: number
  /** What the key is for, in words of the operator. */
  readonly name?: string
}

/** A key as it is listed. */
type ListedApiKey = Omit<IssuedApiKey, 'api_key'> & Pick<ApiKeyOwner, 'username'>

/** What may be said of a new key. */
interface NewApiKey {
  /** Seconds; absent: the key has no expiry. */
  readonly lifetime?: number | undefined
  readonly name?: string | undefined
}

const format = /^gk_([\w-]{12})_([\w-]{43})$/

const hashOf = (secret: string, exp: number | undefined): Buffer =>
  createHash('sha256')
    .update(exp === undefined ? secret : `${secret} ${exp}`)
    .digest()

/** Whether the document is an API key: another node or version may have written something else. */
const isApiKey = (document: Document): document is Document & ApiKeyDocument =>
  typeof document.realm_uri === 'string' &&
  typeof document.username === 'string' &&
  typeof document.hash === 'string' &&
  /^[\da-f]{64}$/.test(document.hash) &&
  (document.exp === undefined || Number.isInteger(document.exp)) &&
  (document.name === undefined || typeof document.name === 'string')

/** What is left of a revoked key: until its expiry, or for ever, because any node may come back with the key. */
const revoked = (id: string, { exp }: Pick<ApiKeyDocument, 'exp'>): Draft => ({
  id,
  document: exp === undefined ? null : { exp },
})

const ownerOf = (id: string, { realm_uri, username, exp }: ApiKeyDocument): ApiKeyOwner => ({
  ...{ id, realm_uri, username },
  ...(exp !== undefined && { exp }),
})

/** The dependencies of {@link ApiKeys}. */
export interface ApiKeyPorts {
  readonly replica: Pick<Replica, 'change' | 'entries' | 'get' | 'watch'>
  readonly clock: Pick<Clock, 'now'>
  /** Told of each use of a key. */
  readonly uses: Pick<KeyUses, 'note' | 'of'>
}

/** The API keys of all realms. Methods that change something throw `service.error.unavailable`. */
export class ApiKeys {
  /** Called with the ids of keys that were revoked on any node. */
  onRevoked: (ids: ReadonlySet<string>) => void = () => undefined
  readonly #ports: ApiKeyPorts

  constructor(ports: ApiKeyPorts) {
    this.#ports = ports
  }

  /** From now on, revoked keys are told. */
  start(): void {
    this.#ports.replica.watch('api_key', (changes) => {
      const gone = changes.filter(({ entry }) => !(entry.document && isApiKey(entry.document)))
      if (gone.length > 0) this.onRevoked(new Set(gone.map(({ entry }) => entry.id)))
    })
  }

  /** Makes a key. That the user exists is for the caller to know. */
  async issue(
    realm_uri: string,
    username: string,
    { lifetime, name }: NewApiKey = {},
  ): Promise<IssuedApiKey> {
    const id = randomBytes(9).toString('base64url')
    const secret = randomBytes(32).toString('base64url')
    const ts = this.#ports.clock.now()
    const exp = lifetime === undefined ? undefined : Math.floor(ts / 1_000) + lifetime
    const told = { ...(exp !== undefined && { exp }), ...(name !== undefined && { name }) }
    const hash = hashOf(secret, exp).toString('hex')
    const document = { realm_uri, username, hash, created_at: ts, ...told } satisfies ApiKeyDocument
    await this.#ports.replica.change('api_key', () => [{ id, document }])
    return { id, api_key: `gk_${id}_${secret}`, ts, ...told }
  }

  /** @throws ServiceError `service.error.not_found` */
  async revoke(id: string): Promise<void> {
    await this.#ports.replica.change('api_key', () => {
      const document = this.#document(id)
      if (!document) {
        throw new ServiceError('service.error.not_found', `there is no API key ${id}`)
      }
      return [revoked(id, document)]
    })
  }

  /** Ends all keys of these users. */
  async revokeOfUsers(users: readonly UserName[]): Promise<void> {
    await this.#ports.replica.change('api_key', () => {
      return this.#ports.replica.entries('api_key').flatMap(({ id, document }) => {
        if (!document || !isApiKey(document)) return []
        const { realm_uri, username } = document
        const isTheirs = users.some(
          (user) => user.realm_uri === realm_uri && user.authid === username,
        )
        return isTheirs ? [revoked(id, document)] : []
      })
    })
  }

  /** The owner of the key, which is used now; undefined for a text that is not a valid key. The caller checks that the user is enabled. */
  find(text: string): ApiKeyOwner | undefined {
    const [, id = '', secret = ''] = format.exec(text) ?? []
    const document = this.#document(id)
    if (!document) return undefined
    const hash = Buffer.from(document.hash, 'hex')
    if (!timingSafeEqual(hashOf(secret, document.exp), hash)) return undefined
    this.#ports.uses.note(id, document.exp)
    return ownerOf(id, document)
  }

  /** The owner of a key, by the key's id alone. */
  owner(id: string): ApiKeyOwner | undefined {
    const document = this.#document(id)
    return document && ownerOf(id, document)
  }

  /** The keys of a realm that hold, the newest first. */
  list(realm_uri: string): ListedApiKey[] {
    const found = this.#ports.replica.entries('api_key').flatMap(({ id }) => {
      const document = this.#document(id)
      if (document?.realm_uri !== realm_uri) return []
      const { username, created_at: ts, exp, name } = document
      const told = { ...(exp !== undefined && { exp }), ...(name !== undefined && { name }) }
      return { id, username, ts, ...told }
    })
    return found.sort((a, b) => b.ts - a.ts)
  }

  /** When the keys of a realm were used last, as far as this process and its store know. Seconds since the epoch, of whole minutes; a key without a use is absent. */
  lastUses(realm_uri: string): Promise<ReadonlyMap<string, number>> {
    return this.#ports.uses.of(this.list(realm_uri).map(({ id }) => id))
  }

  /** A key that has not ended. */
  #document(id: string): ApiKeyDocument | undefined {
    const { replica, clock } = this.#ports
    const { document } = replica.get('api_key', id) ?? {}
    if (!document || !isApiKey(document)) return undefined
    return document.exp === undefined || secondsOf(clock) < document.exp ? document : undefined
  }
}
