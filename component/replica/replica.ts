/** The replicated map of this node: every document, in memory and in the store; the greatest stamp wins on all nodes alike. */
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { inTurn, runSteps, type YieldTurn } from '#component/yielding.ts'
import { compareEntries, Losses, lineage, merge } from './conflict-resolution.ts'
import { Damage, type Damaged } from './damage.ts'
import {
  type Change,
  type Draft,
  type Entry,
  hashing,
  type Kind,
  keyOf,
  kinds,
  type Summary,
  type Texts,
  type Watcher,
} from './entry.ts'
import { isExpired } from './expiry.ts'
import { Holdings } from './holdings.ts'
import { type Merged, refusalOf } from './refusal.ts'
import type { ReplicaStore } from './replica-store.ts'
import { HybridClock } from './stamp.ts'

/** The watchers of one replica. */
class Watchers {
  readonly #log: Pick<Log, 'error'>
  readonly #watchers = new Map<Kind, Watcher>()

  constructor(log: Pick<Log, 'error'>) {
    this.#log = log
  }

  /** Sets the watcher of a kind. */
  set(kind: Kind, watcher: Watcher): void {
    this.#watchers.set(kind, watcher)
  }

  /** Makes changes live, kind after kind. Never rejects: a watcher that fails is logged. */
  async tell(changes: readonly Change[]): Promise<void> {
    for (const kind of kinds) {
      const ofKind = changes.filter(({ entry }) => entry.kind === kind)
      if (ofKind.length === 0) continue
      try {
        await this.#watchers.get(kind)?.(ofKind)
      } catch (err) {
        const ids = ofKind.map(({ entry }) => entry.id)
        this.#log.error({ err, kind, ids }, 'changes were stored but could not be made live')
      }
    }
  }
}

/** The dependencies of a replica. */
export interface ReplicaPorts {
  readonly store: ReplicaStore
  readonly clock: Pick<Clock, 'now'>
  /** The name of this node. */
  readonly node: string
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Yields while a large document is read. Absent: it never yields. */
  readonly yieldTurn?: YieldTurn
}

/** How often a change is repeated because another process was faster. */
const maxTries = 20

/** Every document known to this node. All that changes something runs one after the other. */
export class Replica {
  /** Called with the entries that a change of this node has written, once they are live here. */
  onLocalChange: (entries: readonly Entry[], texts: Texts) => void = () => undefined
  /** Called with changes of any node, once they are live here. */
  onLive: (changes: readonly Change[]) => void = () => undefined
  /** Called when a version made on this node has lost against one made without knowing it. */
  onLost: (loser: Entry, winner: Entry) => void = () => undefined
  readonly #ports: ReplicaPorts
  readonly #clock: HybridClock
  readonly #holdings = new Holdings()
  readonly #watchers: Watchers
  readonly #losses: Losses
  readonly #damage: Damage
  /** How far the store has been read. */
  #revision = 0
  #isStoreAway = false
  /** Waits for its turn. */
  #refresh: Promise<void> | undefined
  /** While changes are made live: the digest before them. */
  #digestBefore: string | undefined
  readonly #inTurn = inTurn()

  constructor(ports: ReplicaPorts) {
    this.#ports = ports
    this.#clock = new HybridClock(ports.clock, ports.node)
    this.#losses = new Losses(ports.node)
    this.#watchers = new Watchers(ports.log)
    this.#damage = new Damage(ports)
  }

  /**
   * Reads all entries but expired ones. Watchers are not called: they read {@link entries}.
   * @throws ServiceError `service.error.unavailable`
   */
  start(): Promise<void> {
    return this.#inTurn(async () => {
      const { revision, entries, damaged } = await this.#ports.store.since(0)
      await this.#damage.judge(entries, damaged)
      // stamps of tombstones, too, and whatever the clock says: no change of this node may be older than one before
      for (const { stamp } of [...entries, ...(damaged ?? [])]) this.#clock.observe(stamp)
      for (const entry of entries) this.#holdings.put(entry)
      this.#revision = revision
      await this.#forgetExpired()
    })
  }

  /** The newest version of a document; a tombstone when it was deleted, undefined when it is unknown. */
  get(kind: Kind, id: string): Entry | undefined {
    return this.#holdings.get(kind, id)
  }

  /** The newest versions of all documents of a kind, tombstones included. */
  entries(kind: Kind): Entry[] {
    return this.#holdings.ofKind(kind)
  }

  /** Sets the function that makes changes of one kind live; realms come before API Specifications. */
  watch(kind: Kind, watcher: Watcher): void {
    this.#watchers.set(kind, watcher)
  }

  /**
   * Changes documents of this node, all or none: on the disk and live when it resolves.
   * @param decide reads the current entries and returns the changes; runs when its turn comes, and again when another
   *   process was faster. What it throws is passed on, and nothing has changed. It must not wait for another change.
   * @throws ServiceError `service.error.unavailable`; then nothing has changed here
   */
  change(
    kind: Kind,
    decide: () => Promise<readonly Draft[]> | readonly Draft[],
  ): Promise<readonly Change[]> {
    const { store, yieldTurn } = this.#ports
    return this.#inTurn(async () => {
      for (let tries = 0; tries < maxTries; tries++) {
        const { entries, texts } = await this.#stamp(kind, await decide())
        if (entries.length === 0) return []
        if (await store.replace(entries, yieldTurn, texts)) {
          await yieldTurn?.()
          const changes = await this.#take(entries)
          this.#report('a change could not be announced to the other nodes', () =>
            this.onLocalChange(entries, texts),
          )
          return changes
        }
        // refused with nothing new to read: the store was replaced
        if ((await this.#read()) === 0) await this.#restore()
      }
      const message = `other processes changed the documents first, ${maxTries} times in a row`
      throw new ServiceError('service.error.unavailable', message, {
        headers: { 'Retry-After': '1' },
      })
    })
  }

  /**
   * Takes entries of other nodes that are newer, intact and not from the future. A refused entry changes nothing, not even
   * the clock; expired ones are skipped.
   * @throws ServiceError `service.error.unavailable`; then nothing was taken, since what serves must be on the disk
   */
  merge(entries: readonly Entry[]): Promise<Merged> {
    return this.#inTurn(async () => {
      const refused: { entry: Entry; reason: string }[] = []
      const news: Entry[] = []
      for (const entry of entries) {
        const now = this.#ports.clock.now()
        const reason = await runSteps(refusalOf(entry, now), this.#ports.yieldTurn)
        if (reason !== undefined) refused.push({ entry, reason })
        else if (!this.#isKnown(entry) && !isExpired(entry, now)) news.push(entry)
      }
      if (news.length === 0) return { merged: 0, refused }
      await this.#ports.store.merge(news)
      return { merged: (await this.#take(news)).length, refused }
    })
  }

  /** Takes the entries that other processes wrote into the store; one that waits for its turn serves all. Never throws: see {@link isStoreAway}. */
  refresh(): Promise<void> {
    this.#refresh ??= this.#inTurn(async () => {
      this.#refresh = undefined
      try {
        await this.#read()
        if (this.#isStoreAway) this.#ports.log.info('the store is reachable again')
        this.#isStoreAway = false
      } catch (err) {
        if (!this.#isStoreAway) this.#ports.log.error({ err }, 'the store is away')
        this.#isStoreAway = true
      }
    })
    return this.#refresh
  }

  /** Removes expired entries, here and in the store, as all nodes do at full minutes. Watchers are not called. Never throws. */
  sweep(): Promise<void> {
    return this.#inTurn(() => this.#forgetExpired())
  }

  /** Whether the last {@link refresh} failed. */
  get isStoreAway(): boolean {
    return this.#isStoreAway
  }

  /** Documents of the store that cannot be read, or do not match their hash. */
  get damaged(): readonly Damaged[] {
    return this.#damage.all
  }

  /** The last versions of a document, newest first. @throws ServiceError `service.error.unavailable` */
  versions(kind: Kind, id: string): Promise<Entry[]> {
    return this.#ports.store.versions(kind, id)
  }

  /** The digest of everything: hex. Equal on two nodes when they hold the same. */
  digest(): string {
    return this.#holdings.digest
  }

  /** {@link digest} without changes that are not live yet. */
  liveDigest(): string {
    return this.#digestBefore ?? this.digest()
  }

  /** The digest of each bucket, by its name: two hex digits. Empty ones are absent. */
  buckets(): Readonly<Record<string, string>> {
    return this.#holdings.digests
  }

  /** The summaries of the entries in these buckets. */
  summaries(buckets: readonly string[]): Summary[] {
    return this.#holdings.summaries(buckets)
  }

  async #stamp(
    kind: Kind,
    drafts: readonly Draft[],
  ): Promise<{ readonly entries: readonly Entry[]; readonly texts: Texts }> {
    if (new Set(drafts.map(({ id }) => id)).size < drafts.length) {
      throw new TypeError('a change has two drafts of one document')
    }
    const entries: Entry[] = []
    const texts = new Map<Entry, string>()
    for (const { id, document, by, written } of drafts) {
      const hash =
        document && (written?.hash ?? (await runSteps(hashing(document), this.#ports.yieldTurn)))
      const before = lineage(this.get(kind, id) ?? this.#damage.of(kind, id))
      const stamp = this.#clock.tick()
      const entry = { kind, id, stamp, ...before, hash, document, ...(by !== undefined && { by }) }
      entries.push(entry)
      if (written) texts.set(entry, written.text)
    }
    return { entries, texts }
  }

  readonly #isKnown = (version: Summary): boolean => {
    const current = this.get(version.kind, version.id)
    return current !== undefined && compareEntries(current, version) === 0
  }

  /** Takes the entries that other processes wrote. @returns how many documents have changed */
  async #read(): Promise<number> {
    const { store } = this.#ports
    const { revision, entries, damaged } = await store.since(this.#revision, this.#isKnown)
    if (revision < this.#revision) return this.#restore()
    this.#revision = revision
    const changes = await this.#take(entries)
    await this.#damage.judge(entries, damaged)
    return changes.length
  }

  /** The store was reset to a backup, or to a standby that was behind: acknowledged entries are written to it again. */
  async #restore(): Promise<number> {
    const { store, log } = this.#ports
    log.error(
      'the store is in an earlier state, such as a restored backup: the documents of this node are written to it again',
    )
    await store.merge(kinds.flatMap((kind) => this.entries(kind)))
    this.#revision = 0
    return this.#read()
  }

  /** Takes stored entries that are newer than those here, and makes them live. */
  async #take(entries: readonly Entry[]): Promise<readonly Change[]> {
    const changes = new Map<string, Change>()
    const conflicts: [loser: Entry, winner: Entry][] = []
    this.#digestBefore = this.digest()
    for (const entry of entries) {
      this.#clock.observe(entry.stamp)
      const current = this.get(entry.kind, entry.id)
      const winner = current ? merge(current, entry) : entry
      if (current) conflicts.push([winner === entry ? current : entry, winner])
      if (winner === current) continue
      this.#holdings.put(entry)
      this.#damage.repair(entry)
      const key = keyOf(entry)
      const first = changes.get(key)
      changes.set(key, { entry, before: first ? first.before : current })
    }
    const taken = [...changes.values()]
    await this.#watchers.tell(taken)
    this.onLive(taken)
    this.#digestBefore = undefined
    for (const [loser, winner] of conflicts) {
      if (!this.#losses.note(loser, winner)) continue
      this.#report('a lost change could not be reported', () => this.onLost(loser, winner))
    }
    return taken
  }

  async #forgetExpired(): Promise<void> {
    const expired = this.#holdings.expired(this.#ports.clock.now())
    if (expired.length === 0) return
    try {
      await this.#ports.store.forget(expired)
      for (const entry of expired) this.#holdings.remove(entry)
    } catch (err) {
      this.#ports.log.warn({ err }, 'expired entries could not be removed')
    }
  }

  #report(failure: string, tell: () => void): void {
    try {
      tell()
    } catch (err) {
      this.#ports.log.error({ err }, failure)
    }
  }
}
