/** Writes realm documents: prepared for the store outside of its turn, and once more when another process was faster. */
import { isDeepStrictEqual } from 'node:util'
import { ServiceError } from '#component/errors.ts'
import { servesWampCra } from '#component/realm/documents/build-realm.ts'
import type { Edit, Edited } from '#component/realm/documents/edits.ts'
import { type Environment, fillEnvironment } from '#component/realm/documents/environment.ts'
import { prototypeOf, prototypesOf } from '#component/realm/documents/inheritance.ts'
import {
  type CheckedLoad,
  checkDocuments,
  checkTogether,
  uriOf,
} from '#component/realm/documents/load-check.ts'
import type { RealmDocument } from '#component/realm/documents/model.ts'
import { wampCraRounds as defaultRounds } from '#component/realm/documents/password.ts'
import { shownRealm } from '#component/realm/documents/shown-realm.ts'
import { type SecretStorage, storeSecrets } from '#component/realm/documents/stored-secrets.ts'
import type { Change, Draft } from '#component/replica/entry.ts'
import { type Conditions, checkConditions } from '#component/replica/history.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { SecretBox } from '#component/secret-box.ts'
import { inTurn } from '#component/yielding.ts'
import type { LiveRealms, StoredRealms } from './live-realms.ts'
import { ofPart, type Written } from './loaded-realm.ts'

/** The dependencies of writing. */
export interface WriterPorts {
  readonly replica: Pick<Replica, 'change'>
  /** The values of `${NAME}`. */
  readonly environment: Environment
  /** Seals the secrets. */
  readonly box: SecretBox
  /** Whether passwords are kept beside their hashes, sealed, for a router that needs them; false by default. */
  readonly keepsPasswords?: boolean
  /** Rounds of PBKDF2 for new WAMP-CRA secrets; 600,000 unless said otherwise. */
  readonly wampCraRounds?: number
}

/** Documents that are ready for the store, and the checks that they passed. */
export interface Prepared {
  readonly checked: CheckedLoad
  readonly drafts: readonly Draft[]
}

/** The passwords that a write has hashed. */
export type Hashed = SecretStorage['hashed']

/** There is no realm document of a URI. */
export const unknownRealm = (): ServiceError =>
  new ServiceError('service.error.not_found', 'no realm has this URI')

/** How often documents are prepared anew because another process has changed them meanwhile. */
const maxTries = 200

/** Writes the documents of one node. */
export class RealmWriter {
  readonly #ports: WriterPorts
  readonly #live: LiveRealms
  /** Writes of one node do not overtake each other. */
  readonly #inTurn = inTurn()

  constructor(ports: WriterPorts, live: LiveRealms) {
    this.#ports = ports
    this.#live = live
  }

  /** A copy of a JSON value with the environment filled in; a variable that is not set is empty. */
  readonly fill = (value: unknown): unknown =>
    fillEnvironment(value, this.#ports.environment, '', [])

  /**
   * Checks documents, each by itself and beside the stored ones.
   * @param keepsSecrets whether those that they do not name are the stored ones
   * @throws InvalidSpecError with every issue
   */
  check(documents: unknown, stored: StoredRealms, keepsSecrets = true): CheckedLoad {
    const { environment } = this.#ports
    const checked = checkDocuments(documents, environment, keepsSecrets)
    checkTogether(checked, stored, environment)
    return checked
  }

  /**
   * Checks documents, hashes their passwords and seals their other secrets; those that they leave out are the stored ones.
   * @param hashed the passwords that were hashed before for the same write
   * @throws InvalidSpecError with every issue
   */
  async prepare(documents: unknown, stored: StoredRealms, hashed: Hashed): Promise<Prepared> {
    const checked = this.check(documents, stored)
    const beside = new Map(
      checked.candidates.map(({ filled }) => [uriOf(filled) ?? '', filled as RealmDocument]),
    )
    const drafts = checked.candidates.map(async ({ written, filled }) => {
      const id = uriOf(filled) ?? ''
      const pair = { written: written as RealmDocument, filled: filled as RealmDocument }
      const storage = this.storageOf(pair.filled, hashed, beside)
      return { id, document: await storeSecrets(pair, stored.get(id)?.document, storage) }
    })
    return { checked, drafts: await Promise.all(drafts) }
  }

  /** Prepares the current document of a realm with one part of it changed. Throws what {@link prepare} and the edit throw. */
  async prepareEdit(
    uri: string,
    edit: Edit,
    stored: StoredRealms,
    hashed: Hashed,
  ): Promise<Prepared & { readonly edited: Edited }> {
    const { document } = stored.get(uri) ?? {}
    if (!document) throw unknownRealm()
    const prototypes = this.#prototypesOf(this.fill(document) as RealmDocument)
    const edited = edit(shownRealm(document), { fill: this.fill, prototypes })
    try {
      return { ...(await this.prepare(edited.document, stored, hashed)), edited }
    } catch (error) {
      throw ofPart(error, edited.path)
    }
  }

  /**
   * Writes documents, all or none; in force and on the disk when it resolves. A document that would not change is not written.
   * @param prepare makes them of the stored ones; runs again when another process was faster
   * @throws what `prepare` throws, ServiceError `service.error.conflict` when a condition does not hold,
   *   `service.error.unavailable`; then nothing has changed
   */
  async write<P extends Prepared>(
    prepare: (stored: StoredRealms, hashed: Hashed) => Promise<P>,
    conditions: Conditions,
    by: string,
  ): Promise<{ readonly prepared: P; readonly written: readonly Written[] }> {
    const hashed: Hashed = new Map()
    let seen = this.#live.stored
    // checked and hashed beside the writes that come first
    let prepared = await prepare(seen, hashed)
    return this.#inTurn(async () => {
      for (let tries = 0; tries < maxTries; tries++) {
        let isOvertaken = false
        const changes = await this.#ports.replica.change('realm', () => {
          const now = this.#live.stored
          isOvertaken = prepared.drafts.some(({ id }) => now.get(id) !== seen.get(id))
          if (isOvertaken) return []
          return this.#judge(prepared, now, conditions).map((draft) => ({ ...draft, by }))
        })
        if (!isOvertaken) return { prepared, written: this.#outcome(prepared, changes) }
        seen = this.#live.stored
        prepared = await prepare(seen, hashed)
      }
      const message = `other processes changed the realm first, ${maxTries} times in a row`
      throw new ServiceError('service.error.unavailable', message, {
        headers: { 'Retry-After': '1' },
      })
    })
  }

  /** The drafts that change something. */
  #judge({ checked, drafts }: Prepared, now: StoredRealms, conditions: Conditions): Draft[] {
    for (const { id } of drafts) checkConditions(now.get(id)?.hash, conditions)
    // while passwords were hashed, prototypes may have gone
    checkTogether(checked, now, this.#ports.environment)
    return drafts.filter(({ id, document }) => !isDeepStrictEqual(document, now.get(id)?.document))
  }

  /**
   * Deletes a document.
   * @throws ServiceError `service.error.not_found`, `wamp.error.invalid_argument` while other realms inherit from it,
   *   `service.error.conflict`, `service.error.unavailable`
   */
  async remove(uri: string, conditions: Conditions, by: string): Promise<Change | undefined> {
    const [change] = await this.#ports.replica.change('realm', () => {
      const { stored } = this.#live
      checkConditions(stored.get(uri)?.hash, conditions)
      if (!stored.has(uri)) throw unknownRealm()
      const heirs = [...stored].filter(([, { document }]) => prototypeOf(document) === uri)
      if (heirs.length === 0) return [{ id: uri, document: null, by }]
      const message = `uri: other realms inherit from this realm: ${heirs.map(([heir]) => heir).join(', ')}`
      throw new ServiceError('wamp.error.invalid_argument', message)
    })
    return change
  }

  #outcome({ drafts }: Prepared, changes: readonly Change[]): Written[] {
    return drafts.map(({ id }) => {
      const change = changes.find(({ entry }) => entry.id === id)
      const { ts = 0, hash = '' } = this.#live.stored.get(id) ?? {}
      if (!change) return { id, ts, hash, change }
      return { id, ts: change.entry.stamp.ms, hash: change.entry.hash ?? '', change }
    })
  }

  /**
   * How the secrets of a realm are stored.
   * @param filled its document, with the environment filled in
   * @param hashed as in {@link prepare}
   * @param beside documents that are loaded at the same time, by URI
   */
  storageOf(
    filled: RealmDocument,
    hashed: Hashed,
    beside?: ReadonlyMap<string, RealmDocument>,
  ): SecretStorage {
    const { box, keepsPasswords = false, wampCraRounds = defaultRounds } = this.#ports
    const prototypes = this.#prototypesOf(filled, beside)
    const isServed = servesWampCra(filled, prototypes)
    return {
      box,
      keepsPasswords: keepsPasswords && isServed,
      rounds: isServed ? wampCraRounds : undefined,
      fill: this.fill,
      hashed,
    }
  }

  /** The documents that one inherits from, nearest first and with the environment filled in; none when the line is broken. */
  #prototypesOf(
    document: RealmDocument,
    beside?: ReadonlyMap<string, RealmDocument>,
  ): readonly RealmDocument[] {
    const chain = prototypesOf(document, (uri) => {
      const { document: stored } = this.#live.stored.get(uri) ?? {}
      return beside?.get(uri) ?? (stored && (this.fill(stored) as RealmDocument))
    })
    return typeof chain === 'string' ? [] : chain
  }
}
