/** The realms known here: load, read, list, and ask what they allow. */

import { type Issue, ServiceError } from '#component/errors.ts'
import type { UserName } from '#component/identity.ts'
import type { Log } from '#component/log.ts'
import { buildAll, type Stored, servesWampCra } from '#component/realm/documents/build-realm.ts'
import { type Environment, fillEnvironment } from '#component/realm/documents/environment.ts'
import { prototypeOf, prototypesOf } from '#component/realm/documents/inheritance.ts'
import { checkDocuments, checkTogether, uriOf } from '#component/realm/documents/load-check.ts'
import { revokedUsers } from '#component/realm/documents/membership.ts'
import type { Realm, RealmDocument } from '#component/realm/documents/model.ts'
import { wampCraRounds as defaultRounds } from '#component/realm/documents/password.ts'
import { openSecret, showRealm } from '#component/realm/documents/secrets.ts'
import {
  changedPassword,
  type SecretStorage,
  storeSecrets,
} from '#component/realm/documents/stored-secrets.ts'
import type { Change, Entry } from '#component/replica/entry.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { SecretBox } from '#component/secret-box.ts'
import { inTurn } from '#component/yielding.ts'

/** The dependencies of the realms. */
export interface RealmsPorts {
  readonly replica: Pick<Replica, 'change' | 'watch' | 'entries'>
  readonly log: Pick<Log, 'info' | 'error'>
  /** The values of `${NAME}`. */
  readonly environment: Environment
  /** Seals the secrets. */
  readonly box: SecretBox
  /** Whether passwords are kept beside their hashes, sealed, for a router that needs them; false by default. */
  readonly keepsPasswords?: boolean
  /** Rounds of PBKDF2 for new WAMP-CRA secrets; 600,000 unless said otherwise. */
  readonly wampCraRounds?: number
}

/** The result of loading one document. */
export interface LoadedRealm {
  readonly uri: string
  /** Milliseconds since the epoch. */
  readonly ts: number
  readonly warnings: readonly Issue[]
  /** False when it took the place of another version. */
  readonly isNew: boolean
}

const unknownRealm = () => new ServiceError('service.error.not_found', 'no realm has this URI')

/** Every realm document, and the realms made of them. */
export class Realms {
  readonly #ports: RealmsPorts
  #stored: ReadonlyMap<string, Stored> = new Map()
  #realms: ReadonlyMap<string, Realm> = new Map()
  /** Why realms are closed, by URI: each reason is logged once. */
  #problems: ReadonlyMap<string, string> = new Map()
  /** Loads run one after the other. */
  readonly #serially = inTurn()

  /**
   * Told after a change which realms there are, and which there were: what one says may hold for those that inherit
   * from it. A load is acknowledged when it is over.
   */
  onChange: (uris: readonly string[]) => void | Promise<void> = () => undefined

  /**
   * Told, on the node that made the change only, which users are gone or disabled, or have another password or other
   * keys. The change is acknowledged when everything that was given to them before has ended.
   */
  onUsersRevoked: (users: readonly UserName[]) => void | Promise<void> = () => undefined

  constructor(ports: RealmsPorts) {
    this.#ports = ports
  }

  /** Makes the realm documents of the replica live, and from then on their changes. */
  start(): void {
    const { replica } = this.#ports
    replica.watch('realm', (changes) => this.#take(changes))
    this.#swap(replica.entries('realm'))
  }

  /**
   * Loads one document, or an array of them: all or none. In force and on the disk when it resolves.
   * @param by who asked, for the log
   * @throws InvalidSpecError with every issue, ServiceError `service.error.unavailable`; then nothing has changed
   */
  load(document: unknown, by = 'the gateway'): Promise<LoadedRealm[]> {
    return this.#serially(() => this.#load(document, by))
  }

  /**
   * Deletes a realm document; its users end.
   * @throws ServiceError `service.error.not_found`, `wamp.error.invalid_argument` while other realms inherit from it,
   *   `service.error.unavailable`
   */
  remove(uri: string, by = 'the gateway'): Promise<{ uri: string; ts: number }> {
    return this.#serially(async () => {
      const [change] = await this.#change(() => {
        if (!this.#stored.has(uri)) throw unknownRealm()
        const heirs = [...this.#stored].filter(([, { document }]) => prototypeOf(document) === uri)
        if (heirs.length === 0) return [{ id: uri, document: null }]
        const message = `uri: other realms inherit from this realm: ${heirs.map(([heir]) => heir).join(', ')}`
        throw new ServiceError('wamp.error.invalid_argument', message)
      })
      this.#ports.log.info({ realms: [uri], by }, 'realm deleted')
      await this.#announceRevoked(change ? this.#revokedBy(change) : [])
      return { uri, ts: change?.entry.stamp.ms ?? 0 }
    })
  }

  /**
   * Gives a user another password; all that the user got before ends, also when it is the same one.
   * @throws ServiceError `service.error.not_found` for the realm or the user, `wamp.error.invalid_argument` for an empty
   *   password, `service.error.unavailable`
   */
  changePassword(
    uri: string,
    username: string,
    password: string,
    by = 'the gateway',
  ): Promise<{ uri: string; username: string; ts: number }> {
    return this.#serially(async () => {
      const [change] = await this.#change(async () => {
        const stored = this.#stored.get(uri)
        if (!stored) throw unknownRealm()
        const pair = { written: stored.document, filled: this.#fill(stored.document) }
        const storage = this.#storageOf(pair.filled)
        return [{ id: uri, document: await changedPassword(pair, username, password, storage) }]
      })
      this.#ports.log.info({ realm: uri, user: username, by }, 'password changed')
      await this.#announceRevoked([{ realm_uri: uri, authid: username }])
      return { uri, username, ts: change?.entry.stamp.ms ?? 0 }
    })
  }

  async #load(document: unknown, by: string): Promise<LoadedRealm[]> {
    const checked = checkDocuments(document, this.#ports.environment)
    checkTogether(checked, this.#stored)
    const beside = new Map(
      checked.candidates.map(({ filled }) => [uriOf(filled) ?? '', filled as RealmDocument]),
    )
    const drafts = await Promise.all(
      checked.candidates.map(async ({ written, filled }) => {
        const id = uriOf(filled) ?? ''
        const before = this.#stored.get(id)?.document
        const pair = { written: written as RealmDocument, filled: filled as RealmDocument }
        const storage = this.#storageOf(pair.filled, beside)
        return { id, document: await storeSecrets(pair, before, storage) }
      }),
    )
    // while passwords were hashed, prototypes may have gone
    const changes = await this.#change(() => {
      checkTogether(checked, this.#stored)
      return drafts
    })
    this.#ports.log.info({ realms: drafts.map(({ id }) => id), by }, 'realms loaded')
    await this.#announceRevoked(changes.flatMap((change) => this.#revokedBy(change)))
    return changes.map(({ entry, before }, index) => {
      const path = checked.candidates[index]?.path ?? ''
      const warnings = checked.warnings.filter((warning) => warning.path.startsWith(`${path}/`))
      const isNew = before === undefined || before.document === null
      return { uri: entry.id, ts: entry.stamp.ms, warnings, isNew }
    })
  }

  #change(decide: Parameters<Replica['change']>[1]): Promise<readonly Change[]> {
    return this.#ports.replica.change('realm', decide)
  }

  #fill(document: RealmDocument): RealmDocument {
    return fillEnvironment(document, this.#ports.environment, '', []) as RealmDocument
  }

  /** @param beside documents that are loaded at the same time, by URI */
  #storageOf(filled: RealmDocument, beside?: ReadonlyMap<string, RealmDocument>): SecretStorage {
    const { box, keepsPasswords = false, wampCraRounds = defaultRounds } = this.#ports
    const documentAt = (uri: string) => {
      const { document } = this.#stored.get(uri) ?? {}
      return beside?.get(uri) ?? (document && this.#fill(document))
    }
    const chain = prototypesOf(filled, documentAt)
    const isServed = servesWampCra(filled, typeof chain === 'string' ? [] : chain)
    return {
      box,
      keepsPasswords: keepsPasswords && isServed,
      rounds: isServed ? wampCraRounds : undefined,
      fill: (value) => fillEnvironment(value, this.#ports.environment, '', []),
    }
  }

  #revokedBy({ entry, before }: Change): UserName[] {
    const [old, now] = [before?.document, entry.document].map((one) => one && this.#fill(one))
    return revokedUsers(old, now).map((authid) => ({ realm_uri: entry.id, authid }))
  }

  async #announceRevoked(users: readonly UserName[]): Promise<void> {
    if (users.length === 0) return
    try {
      await this.onUsersRevoked(users)
    } catch (cause) {
      this.#ports.log.error(
        { err: cause, users },
        'the tokens of removed or changed users could not be revoked',
      )
      const message =
        'the change is stored, but the tokens and sessions of its users could not be ended; call service.revoke_all'
      throw new ServiceError('service.error.unavailable', message, { cause })
    }
  }

  #take(changes: readonly Change[]): void | Promise<void> {
    const before = this.#realms.keys()
    this.#swap(changes.map(({ entry }) => entry))
    return this.onChange([...new Set([...before, ...this.#realms.keys()])])
  }

  /** Builds every realm anew: what one says may hold for those that inherit from it. */
  #swap(entries: readonly Entry[]): void {
    const stored = new Map(this.#stored)
    for (const { id, document, stamp } of entries) {
      if (document === null) stored.delete(id)
      else stored.set(id, { document, ts: stamp.ms })
    }
    const { realms, problems } = buildAll(stored, this.#ports.environment)
    this.#stored = stored
    this.#realms = realms
    this.#tellProblems(problems)
  }

  #tellProblems(problems: ReadonlyMap<string, string>): void {
    const { log } = this.#ports
    for (const [uri, reason] of problems) {
      if (this.#problems.get(uri) === reason) continue
      log.error({ realm: uri, reason }, 'the realm accepts no sessions')
    }
    for (const uri of this.#problems.keys()) {
      if (!problems.has(uri)) log.info({ realm: uri }, 'the realm accepts sessions again')
    }
    this.#problems = problems
  }

  /** Whether the realm exists and is not a prototype. */
  has(uri: string): boolean {
    return this.#realms.get(uri)?.isPrototype === false
  }

  /** Of all that are known, prototypes among them. */
  get uris(): readonly string[] {
    return [...this.#realms.keys()]
  }

  /** The realm, ready to be asked. */
  realm(uri: string): Realm | undefined {
    return this.#realms.get(uri)
  }

  /** The document without secrets, with `ts`. @throws ServiceError `service.error.not_found` */
  get(uri: string): RealmDocument {
    const stored = this.#stored.get(uri)
    if (stored) return showRealm(stored.document, stored.ts)
    throw unknownRealm()
  }

  /** Every document as {@link get} shows it, by URI. */
  list(): RealmDocument[] {
    return [...this.#stored.keys()].sort().map((uri) => this.get(uri))
  }

  /**
   * The text of a secret in `info` of a realm: sealed, in the clear, or `{env: …}` or `{file: …}`.
   * @param value as {@link realm} has it
   * @returns undefined if it is absent or was sealed with another `store.key`
   * @throws Error when the file that it names cannot be read
   */
  openSecret(uri: string, value: unknown): Promise<string | undefined> {
    const { document } = this.#stored.get(uri) ?? {}
    const chain = document ? prototypesOf(document, (at) => this.#stored.get(at)?.document) : []
    const inherited = typeof chain === 'string' ? [] : chain.map((one) => String(one.uri))
    return openSecret(value, [uri, ...inherited], this.#ports)
  }

  /** The password of an enabled user, where passwords are kept; undefined where not, and when it was sealed with another `store.key`. */
  async plainPassword(uri: string, username: string): Promise<string | undefined> {
    const sealed = this.#realms.get(uri)?.users.get(username)?.password?.sealed
    return sealed === undefined ? undefined : openSecret({ sealed }, [uri], this.#ports)
  }
}
