/** API keys: texts that let programs act for a user; shown once, kept as hashes (behaviour: OAuth2). */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { UserName } from '#component/identity.ts'
import type { Document } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'

/** A key as it is replicated: kind `api_key`. */
interface ApiKeyDocument {
  readonly realm_uri: string
  readonly username: string
  /** SHA-256 of the secret part, hex. The secret has 256 random bits, so that a fast hash suffices. */
  readonly hash: string
  /** Milliseconds since the epoch. */
  readonly created_at: number
}

/** The user who owns a key. */
export interface ApiKeyOwner {
  readonly id: string
  readonly realm_uri: string
  readonly username: string
}

/** A key that has just been made. */
export interface IssuedApiKey {
  readonly id: string
  /** `gk_<id>_<secret>`: it cannot be shown again. */
  readonly api_key: string
  /** When it was made. Milliseconds since the epoch. */
  readonly ts: number
}

const format = /^gk_([\w-]{12})_([\w-]{43})$/

const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** Whether the document is an API key: another node or version may have written something else. */
const isApiKey = ({ realm_uri, username, hash }: Document): boolean =>
  typeof realm_uri === 'string' &&
  typeof username === 'string' &&
  typeof hash === 'string' &&
  /^[\da-f]{64}$/.test(hash)

/** The dependencies of {@link ApiKeys}. */
export interface ApiKeyPorts {
  readonly replica: Pick<Replica, 'change' | 'entries' | 'get' | 'watch'>
  readonly clock: Pick<Clock, 'now'>
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
      const revoked = changes.filter(({ entry }) => entry.document === null)
      if (revoked.length > 0) this.onRevoked(new Set(revoked.map(({ entry }) => entry.id)))
    })
  }

  /** Makes a key. That the user exists is for the caller to know. */
  async issue(realm_uri: string, username: string): Promise<IssuedApiKey> {
    const id = randomBytes(9).toString('base64url')
    const secret = randomBytes(32).toString('base64url')
    const ts = this.#ports.clock.now()
    const hash = hashOf(secret).toString('hex')
    const document = { realm_uri, username, hash, created_at: ts } satisfies ApiKeyDocument
    await this.#ports.replica.change('api_key', () => [{ id, document }])
    return { id, api_key: `gk_${id}_${secret}`, ts }
  }

  /** @throws ServiceError `service.error.not_found` */
  async revoke(id: string): Promise<void> {
    await this.#ports.replica.change('api_key', () => {
      if (!this.#document(id)) {
        throw new ServiceError('service.error.not_found', `there is no API key ${id}`)
      }
      return [{ id, document: null }]
    })
  }

  /** Ends all keys of these users. */
  async revokeOfUsers(users: readonly UserName[]): Promise<void> {
    await this.#ports.replica.change('api_key', () => {
      const gone = this.#ports.replica.entries('api_key').filter(({ document }) =>
        users.some((user) => {
          return user.realm_uri === document?.realm_uri && user.authid === document.username
        }),
      )
      return gone.map(({ id }) => ({ id, document: null }))
    })
  }

  /** The owner of the key; undefined for a text that is not a valid key. The caller checks that the user is enabled. */
  find(text: string): ApiKeyOwner | undefined {
    const [, id = '', secret = ''] = format.exec(text) ?? []
    const document = this.#document(id)
    if (!document || !timingSafeEqual(hashOf(secret), Buffer.from(document.hash, 'hex'))) {
      return undefined
    }
    return this.owner(id)
  }

  /** The owner of a key, by the key's id alone. */
  owner(id: string): ApiKeyOwner | undefined {
    const document = this.#document(id)
    return document && { id, realm_uri: document.realm_uri, username: document.username }
  }

  #document(id: string): ApiKeyDocument | undefined {
    const { document } = this.#ports.replica.get('api_key', id) ?? {}
    return document && isApiKey(document) ? (document as unknown as ApiKeyDocument) : undefined
  }
}
