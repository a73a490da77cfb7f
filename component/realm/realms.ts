/** The realms known here: load, edit, read, list, and ask what they allow. */
import { ServiceError } from '#component/errors.ts'
import type { UserName } from '#component/identity.ts'
import type { Log } from '#component/log.ts'
import type { Edit } from '#component/realm/documents/edits.ts'
import { prototypesOf } from '#component/realm/documents/inheritance.ts'
import { at, restoredUsers, revokedUsers } from '#component/realm/documents/membership.ts'
import type { Realm, RealmDocument } from '#component/realm/documents/model.ts'
import { originsOf, type SendersKey } from '#component/realm/documents/secret-origins.ts'
import { openSecret } from '#component/realm/documents/secrets.ts'
import { shownRealm } from '#component/realm/documents/shown-realm.ts'
import { changedPassword } from '#component/realm/documents/stored-secrets.ts'
import type { Change } from '#component/replica/entry.ts'
import type { Conditions } from '#component/replica/history.ts'
import type { Replica } from '#component/replica/replica.ts'
import { inTurn } from '#component/yielding.ts'
import { LiveRealms, type StoredRealms } from './live-realms.ts'
import {
  type EditedRealm,
  issuesIn,
  type LoadedRealm,
  loaded,
  type Written,
} from './loaded-realm.ts'
import { RealmHistory } from './realm-history.ts'
import { type Hashed, RealmWriter, unknownRealm, type WriterPorts } from './realm-writer.ts'

/** The dependencies of the realms. */
export interface RealmsPorts extends WriterPorts {
  readonly replica: Pick<Replica, 'change' | 'watch' | 'entries' | 'versions'>
  readonly log: Pick<Log, 'info' | 'error'>
}

const someone = 'the gateway'

/** Every realm document, and the realms made of them. */
export class Realms {
  /** The versions that realm documents have had. */
  readonly history: RealmHistory
  readonly #ports: RealmsPorts
  readonly #live: LiveRealms
  readonly #writer: RealmWriter
  /** Changes run one after the other. */
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
    this.#live = new LiveRealms(ports.log, ports.environment)
    this.#writer = new RealmWriter(ports, this.#live)
    this.history = new RealmHistory(ports.replica)
  }

  /** Makes the realm documents of the replica live, and from then on their changes. */
  start(): void {
    const { replica } = this.#ports
    replica.watch('realm', (changes) => this.#take(changes))
    this.#live.take(replica.entries('realm'))
  }

  /**
   * Loads one document, or an array of them: all or none. In force and on the disk when it resolves. A secret that is absent or
   * masked stays as it is stored; a document that is there already is not written again.
   * @param by who asked, for the log
   * @param conditions of each document on its current version
   * @throws InvalidSpecError with every issue, ServiceError `service.error.conflict`, `service.error.unavailable`; then
   *   nothing has changed
   */
  load(document: unknown, by = someone, conditions: Conditions = {}): Promise<LoadedRealm[]> {
    return this.#serially(async () => {
      const prepare = (stored: StoredRealms, hashed: Hashed) =>
        this.#writer.prepare(document, stored, hashed)
      const { prepared, written } = await this.#writer.write(prepare, conditions, by)
      this.#ports.log.info({ realms: written.map(({ id }) => id), by }, 'realms loaded')
      await this.#endRevoked(written)
      const { candidates, warnings } = prepared.checked
      return written.map((one, index) => {
        const path = candidates[index]?.path ?? ''
        return loaded(
          one,
          warnings.filter((warning) => warning.path.startsWith(`${path}/`)),
        )
      })
    })
  }

  /**
   * Changes a part of a document; two edits at the same time change both parts, also in two processes on one store.
   * @param edit is called again when another process was faster
   * @returns with warnings about that part, by pointers into it
   * @throws InvalidSpecError by pointers into that part where they are in it; ServiceError `service.error.not_found`,
   *   `wamp.error.invalid_argument`, and what {@link load} throws; then nothing has changed
   */
  edit(uri: string, edit: Edit, by = someone, conditions: Conditions = {}): Promise<EditedRealm> {
    return this.#serially(async () => {
      const prepare = (stored: StoredRealms, hashed: Hashed) =>
        this.#writer.prepareEdit(uri, edit, stored, hashed)
      const { prepared, written } = await this.#writer.write(prepare, conditions, by)
      const { path, isNew: isNewPart, warnings, user, done } = prepared.edited
      this.#ports.log.info({ realm: uri, user, by }, done)
      await this.#endRevoked(written)
      const inside = issuesIn(prepared.checked.warnings, path)
      return { ...loaded(written[0] as Written, [...warnings, ...inside]), isNewPart }
    })
  }

  /**
   * Writes a version of the history once more, its secrets included, also of a realm that was deleted. Everything ends that was
   * given to users who are gone, or whose password or keys change by it; a warning names each of them, and each user who is back.
   * @param hash of the version
   * @param check throws for a document that the caller may not load
   * @throws ServiceError `service.error.not_found`, and what {@link load} throws
   */
  rollback(
    uri: string,
    hash: string,
    {
      by = someone,
      conditions = {},
      check = () => undefined,
    }: { by?: string; conditions?: Conditions; check?: (document: RealmDocument) => void } = {},
  ): Promise<LoadedRealm> {
    return this.#serially(async () => {
      const { document, hash: found } = await this.history.find(uri, hash)
      const shown = shownRealm(document)
      check(shown)
      const drafts = [{ id: uri, document }]
      const { prepared, written } = await this.#writer.write(
        async (stored) => ({ checked: this.#writer.check(shown, stored, false), drafts }),
        conditions,
        by,
      )
      this.#ports.log.info({ realms: [uri], by, hash: found }, 'realm rolled back')
      await this.#endRevoked(written)
      const change = written[0]?.change
      const warnings = change ? restoredUsers(change.before?.document, document) : []
      return loaded(written[0] as Written, [...prepared.checked.warnings, ...warnings])
    })
  }

  /**
   * Deletes a realm document; its users end.
   * @throws ServiceError `service.error.not_found`, `wamp.error.invalid_argument` while other realms inherit from it,
   *   `service.error.conflict`, `service.error.unavailable`
   */
  remove(
    uri: string,
    by = someone,
    conditions: Conditions = {},
  ): Promise<{ uri: string; ts: number }> {
    return this.#serially(async () => {
      const change = await this.#writer.remove(uri, conditions, by)
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
    by = someone,
  ): Promise<{ uri: string; username: string; ts: number }> {
    return this.#serially(async () => {
      const [change] = await this.#ports.replica.change('realm', async () => {
        const { document: written } = this.#live.stored.get(uri) ?? {}
        if (!written) throw unknownRealm()
        const filled = this.#writer.fill(written) as RealmDocument
        const storage = this.#writer.storageOf(filled, new Map())
        return [
          {
            id: uri,
            document: await changedPassword({ written, filled }, username, password, storage),
            by,
          },
        ]
      })
      this.#ports.log.info({ realm: uri, user: username, by }, 'password changed')
      await this.#announceRevoked([{ realm_uri: uri, authid: username }])
      return { uri, username, ts: change?.entry.stamp.ms ?? 0 }
    })
  }

  #revokedBy({ entry, before }: Change): UserName[] {
    const [old, now] = [before?.document, entry.document].map(
      (one) => one && this.#writer.fill(one),
    )
    return revokedUsers(old, now).map((authid) => ({ realm_uri: entry.id, authid }))
  }

  #endRevoked(written: readonly Written[]): Promise<void> {
    const changes = written.flatMap(({ change }) => change ?? [])
    return this.#announceRevoked(changes.flatMap((change) => this.#revokedBy(change)))
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
    const before = this.#live.realms.keys()
    this.#live.take(changes.map(({ entry }) => entry))
    return this.onChange([...new Set([...before, ...this.#live.realms.keys()])])
  }

  /** Whether the realm exists and is not a prototype. */
  has(uri: string): boolean {
    return this.#live.realms.get(uri)?.isPrototype === false
  }

  /** Of all that are known, prototypes among them. */
  get uris(): readonly string[] {
    return [...this.#live.realms.keys()]
  }

  /** The realm, ready to be asked. */
  realm(uri: string): Realm | undefined {
    return this.#live.realms.get(uri)
  }

  /** The document without secrets, with `ts`. @throws ServiceError `service.error.not_found` */
  get(uri: string): RealmDocument {
    const stored = this.#live.stored.get(uri)
    if (stored) return { ...shownRealm(stored.document), ts: stored.ts }
    throw unknownRealm()
  }

  /** SHA-256, hex, of the stored document, secrets included. @throws ServiceError `service.error.not_found` */
  hashOf(uri: string): string {
    const stored = this.#live.stored.get(uri)
    if (stored) return stored.hash
    throw unknownRealm()
  }

  /** Every document as {@link get} shows it, by URI. */
  list(): RealmDocument[] {
    return [...this.#live.stored.keys()].sort().map((uri) => this.get(uri))
  }

  /**
   * The text of a secret in `info` of a realm: sealed, in the clear, or `{env: …}` or `{file: …}`.
   * @param value as {@link realm} has it
   * @param to where it is to be sent, as {@link secretOrigins} tells; absent: nowhere
   * @returns undefined if it is absent, or was sealed with another `store.key`, or for other origins
   * @throws Error when the file that it names cannot be read
   */
  openSecret(uri: string, value: unknown, to?: readonly string[]): Promise<string | undefined> {
    const inherited = this.#line(uri).map((one) => String(one.uri))
    return openSecret(value, [uri, ...inherited], this.#ports, to)
  }

  /** Where the secrets of an identity provider or an upstream of the realm may go: the origins that its settings name. */
  secretOrigins(uri: string, key: SendersKey, name: string): readonly string[] {
    const holder = this.#line(uri).find((one) => 'info' in one)
    return originsOf(key, at(holder, ['info', key, name]))
  }

  /** The document of a realm, and those that it inherits from, nearest first. */
  #line(uri: string): readonly RealmDocument[] {
    const { document } = this.#live.stored.get(uri) ?? {}
    if (!document) return []
    const chain = prototypesOf(document, (at) => this.#live.stored.get(at)?.document)
    return typeof chain === 'string' ? [document] : [document, ...chain]
  }

  /** The password of an enabled user, where passwords are kept; undefined where not, and when it was sealed with another `store.key`. */
  async plainPassword(uri: string, username: string): Promise<string | undefined> {
    const sealed = this.#live.realms.get(uri)?.users.get(username)?.password?.sealed
    return sealed === undefined ? undefined : openSecret({ sealed }, [uri], this.#ports)
  }
}
