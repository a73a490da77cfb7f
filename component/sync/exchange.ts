/** Fetches from a peer the documents that this node lacks: compares digests, then summaries, then fetches documents. */
import { ServiceError } from '#component/errors.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import { compareEntries } from '#component/replica/conflict-resolution.ts'
import { unequalBuckets } from '#component/replica/digest.ts'
import type { Entry, Summary } from '#component/replica/entry.ts'
import { formatStamp } from '#component/replica/stamp.ts'
import {
  type Fields,
  type Message,
  type Name,
  readBuckets,
  readCount,
  readEntry,
  readList,
  readSummary,
} from './sync-messages.ts'
import type { SyncCounts, SyncPorts } from './sync-ports.ts'
import type { Request } from './wire.ts'

/** The dependencies of exchanges. */
export interface ExchangePorts extends SyncPorts {
  /** Asks a peer; rejects when it does not answer as it should. */
  readonly ask: (node: string, request: Request, content: Fields) => Promise<Message>
  readonly counts: Pick<SyncCounts, 'exchanges'>
  /** Called when every document of the peer is here, or refused. */
  readonly onDone: (node: string) => void
}

/** Milliseconds before a fetched digest or a refused version is asked for again. */
const pauseMs = 60_000
/** Names in one request. */
const maxNames = 100
/** Digests, and refused versions, that are remembered. */
const maxRemembered = 10_000

const ignore = () => undefined

const versionOf = ({ kind, id, stamp, hash }: Summary): string =>
  `${kind} ${id} ${formatStamp(stamp)} ${hash}`

/**
 * An entry is only ever replaced by a newer one. So once the documents of a digest have been fetched, they need not be fetched
 * again from any peer.
 */
export class Exchanges {
  readonly #ports: ExchangePorts
  /** By peer. */
  readonly #running = new Map<string, Promise<boolean>>()
  /** Peers with which another exchange was asked for while one ran. */
  readonly #askedAgain = new Set<string>()
  /** Fetches in progress, by the digest of the peer. */
  readonly #fetching = new Map<string, Promise<void>>()
  /** Digest to when all that it stands for had been fetched. */
  readonly #fetchedAt = new Map<string, number>()
  /** Version to when it was refused. */
  readonly #refusedAt = new Map<string, number>()
  readonly #throttle: LogThrottle
  #isClosed = false

  constructor(ports: ExchangePorts) {
    this.#ports = ports
    this.#throttle = new LogThrottle(ports.clock, linePerMinute)
  }

  /** Whether a peer with this digest has documents that should be fetched now. */
  isNews(digest: string): boolean {
    return !this.#isHere(digest) && !this.#fetching.has(digest)
  }

  /**
   * Fetches all documents of a peer; one exchange with a peer at a time. A caller during an exchange shares its result; if
   * it fails, another one follows, because the first may have been with a process that has ended since.
   * @returns whether all of it is here now, or refused; failures are logged
   */
  with(node: string): Promise<boolean> {
    const running = this.#running.get(node)
    if (running !== undefined) {
      this.#askedAgain.add(node)
      return running
    }
    const started = this.#attempt(node).finally(() => this.#running.delete(node))
    this.#running.set(node, started)
    return started
  }

  /** Waits for the running exchanges; returns whether each succeeded. */
  async settled(): Promise<readonly boolean[]> {
    return Promise.all(this.#running.values())
  }

  /** Fetches one document that a peer has announced. Never rejects: what fails is fetched by the next exchange. */
  async fetch(node: string, summary: Summary): Promise<void> {
    if (!this.#isWanted(summary)) return
    await this.#fetchAll(node, [summary]).catch((err: unknown) => this.#failed(node, err))
  }

  /** Merges the change that a peer has announced. Never rejects. */
  async take(node: string, entry: Entry): Promise<void> {
    await this.#take(node, [entry]).catch((err: unknown) => this.#failed(node, err))
  }

  /** Stops logging failures. */
  close(): void {
    this.#isClosed = true
  }

  #failed(node: string, err: unknown): void {
    if (this.#isClosed) return
    this.#ports.counts.exchanges.failed += 1
    if (!this.#throttle.admits(node)) return
    this.#ports.log.warn({ err, peer: node }, 'the exchange with another gateway failed')
  }

  async #attempt(node: string): Promise<boolean> {
    for (;;) {
      this.#askedAgain.delete(node)
      try {
        await this.#exchange(node)
        this.#ports.counts.exchanges.ok += 1
        return true
      } catch (err) {
        this.#failed(node, err)
        if (this.#isClosed || !this.#askedAgain.has(node)) return false
      }
    }
  }

  async #exchange(node: string): Promise<void> {
    const { ask, onDone, replica } = this.#ports
    const ours = replica.digest()
    const { heartbeat, fields } = await ask(node, 'digest', {})
    const { digest } = heartbeat
    // a peer with the same digest is waited for; this fetch runs only when that one failed
    for (let other = this.#fetching.get(digest); other; other = this.#fetching.get(digest)) {
      await other
    }
    if (digest !== ours && !this.#isHere(digest)) {
      const fetched = this.#fetchDifference(node, fields).then(() =>
        this.#remember(this.#fetchedAt, digest),
      )
      const settled = fetched.catch(ignore).finally(() => this.#fetching.delete(digest))
      this.#fetching.set(digest, settled)
      await fetched
    }
    onDone(node)
  }

  async #fetchDifference(node: string, { buckets }: Fields): Promise<void> {
    const theirs = readBuckets(buckets)
    if (!theirs) throw malformed()
    const ours = this.#ports.replica.buckets()
    let unequal = unequalBuckets(ours, theirs).filter((name) => Object.hasOwn(theirs, name))
    while (unequal.length > 0) {
      const { fields } = await this.#ports.ask(node, 'digest', { buckets: unequal })
      const summaries = readList(fields.items, readSummary)
      const answered = readCount(fields.answered)
      if (!summaries || !answered) throw malformed()
      const wanted = summaries.filter((summary) => this.#isWanted(summary))
      await this.#fetchAll(node, wanted)
      unequal = unequal.slice(answered)
    }
  }

  async #fetchAll(node: string, names: readonly Name[]): Promise<void> {
    let left = names.map(({ kind, id }) => ({ kind, id }))
    while (left.length > 0) {
      const { fields } = await this.#ports.ask(node, 'fetch', { names: left.slice(0, maxNames) })
      const entries = readList(fields.items, readEntry)
      const answered = readCount(fields.answered)
      if (!entries || !answered) throw malformed()
      await this.#take(node, entries)
      left = left.slice(answered)
    }
  }

  /** @throws ServiceError `service.error.unavailable` when the store takes nothing */
  async #take(node: string, entries: readonly Entry[]): Promise<void> {
    const { log, replica } = this.#ports
    for (const { entry, reason } of (await replica.merge(entries)).refused) {
      const version = versionOf(entry)
      if (!this.#refusedAt.has(version)) {
        const { kind, id, stamp } = entry
        log.error(
          { kind, id, stamp, peer: node, reason },
          'an entry of another gateway was refused',
        )
      }
      this.#remember(this.#refusedAt, version)
    }
  }

  /** Whether a version is newer than the one here, and was not refused recently. */
  #isWanted(summary: Summary): boolean {
    const { kind, id } = summary
    const ours = this.#ports.replica.get(kind, id)
    if (ours && compareEntries(summary, ours) <= 0) return false
    return !this.#isRecent(this.#refusedAt, versionOf(summary))
  }

  #isHere(digest: string): boolean {
    return digest === this.#ports.replica.digest() || this.#isRecent(this.#fetchedAt, digest)
  }

  #isRecent(times: ReadonlyMap<string, number>, key: string): boolean {
    const at = times.get(key)
    return at !== undefined && Math.abs(this.#ports.clock.now() - at) < pauseMs
  }

  #remember(times: Map<string, number>, key: string): void {
    if (times.size >= maxRemembered) times.clear()
    times.set(key, this.#ports.clock.now())
  }
}

const malformed = () =>
  new ServiceError('service.error.bad_gateway', 'the response of a gateway is malformed')
