/** Nodes made of the real replica and the real sync over stores in memory, in a simulated time, and what must hold at any time. */

import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { compareEntries } from '#component/replica/conflict-resolution.ts'
import { Buckets, digestOfBuckets } from '#component/replica/digest.ts'
import type { Change, Entry } from '#component/replica/entry.ts'
import { Replica } from '#component/replica/replica.ts'
import { compareStamps, formatStamp, HybridClock } from '#component/replica/stamp.ts'
import { Sync } from '#component/sync/sync.ts'
import { WampError } from '#component/wamp/session.ts'
import { Bus, BusSession } from '#test/unit/sync/bus.ts'
import { HandedOver } from '#test/unit/sync/handed-over.ts'
import { SimulatedTime } from '#test/unit/sync/time.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { document } from './doubles.ts'
import { MemoryStore } from './memory-store.ts'
import { SlowStore } from './slow-store.ts'

/** What may be left out, to see that it is missed. */
export const mutations = [
  'no-rejoin-exchange',
  'no-tombstones',
  'no-clock-persistence',
  'no-whole-digest',
] as const
export type Mutation = (typeof mutations)[number] | undefined

/** A replica whose digests skip what is named after the letter x. */
class SkippingReplica extends Replica {
  override digest(): string {
    return digestOfBuckets(this.buckets())
  }

  override buckets(): Readonly<Record<string, string>> {
    const rest = new Buckets()
    for (const entry of this.entries('api_spec')) if (!entry.id.startsWith('x')) rest.put(entry)
    return rest.digests
  }
}

/** What runs on a node, from its start to its end. */
interface Process {
  readonly replica: Replica
  readonly sync: Sync
  readonly session: BusSession
  readonly slowStore: SlowStore
  /** What the watcher has made live, tombstones included. */
  readonly live: Map<string, Entry>
}

export interface Node {
  readonly name: string
  readonly store: MemoryStore
  /** How far its clock is ahead. Milliseconds. */
  readonly offset: number
  process: Process | undefined
  /** The newest version of each document that was ever seen on it. */
  readonly seen: Map<string, Entry>
}

const ignore = () => undefined

const hasUri = (error: unknown, uri: string) => error instanceof ServiceError && error.uri === uri

/** Part of life: stores and peers that are away. */
const isExpected = (error: unknown) =>
  error instanceof WampError ||
  hasUri(error, 'service.error.unavailable') ||
  hasUri(error, 'service.error.bad_gateway')

export class Cluster {
  readonly time: SimulatedTime
  readonly bus: Bus
  readonly acknowledgements = new Acknowledgements()
  /** What should never have been. */
  readonly wrongs: string[] = []
  readonly nodes: readonly Node[]
  /** How long the stores take. Milliseconds. */
  storeDelay: () => number = () => 0
  readonly #mutation: Mutation
  readonly #lost = new Set<string>()
  readonly #sealing = new HandedOver()

  /** @param offsets of the clocks, one for each node; `isShared`: the first two have one store */
  constructor(offsets: readonly number[], isShared: boolean, mutation: Mutation, seed = 1) {
    this.time = new SimulatedTime(seed)
    this.bus = new Bus(this.time)
    const stores = offsets.map(() => new MemoryStore())
    if (isShared) stores[1] = stores[0] ?? new MemoryStore()
    this.#mutation = mutation
    this.nodes = stores.map((store, index) => ({
      name: `n${index}`,
      store,
      offset: offsets[index] ?? 0,
      process: undefined,
      seen: new Map(),
    }))
  }

  /** Starts a process if the node has none, with a clock that was set back. */
  async start(node: Node, backMs = 0): Promise<void> {
    const { name, store } = node
    if (node.process || store.isAway) return
    const clock = this.time.clock(node.offset - backMs)
    const log = this.#logOf(name)
    const slowStore = new SlowStore(store, this.time)
    const ports = { store: slowStore, clock, node: name, log }
    const replica =
      this.#mutation === 'no-whole-digest' ? new SkippingReplica(ports) : new Replica(ports)
    await this.#startReplica(replica, store)
    slowStore.delay = () => this.storeDelay()
    const live = new Map(replica.entries('api_spec').map((entry) => [entry.id, entry]))
    replica.watch('api_spec', (changes) => this.#makeLive(name, live, changes))
    replica.onLost = (loser) => this.#noteLost(name, loser)
    const session = new BusSession(this.bus)
    const program = { version: '1.0.0', features: [] }
    const sync = new Sync({
      replica,
      session,
      clock,
      log,
      node: name,
      sealing: this.#sealing,
      program,
    })
    await sync.start()
    if (this.#mutation !== 'no-rejoin-exchange') session.onJoin = () => sync.joined()
    node.process = { replica, sync, session, slowStore, live }
    session.join()
  }

  /** Ends a process in the middle of whatever it does. */
  async kill(node: Node, isDone: boolean): Promise<void> {
    const { process } = node
    node.process = undefined
    if (!process) return
    process.session.cut()
    process.slowStore.end(isDone)
    await process.sync.leave()
    await this.time.advance(0)
  }

  /** The session of a node is lost. */
  cut({ process }: Node): void {
    if (process?.session.isOpen) process.session.cut()
  }

  rejoin({ process }: Node): void {
    if (process && !process.session.isOpen) process.session.join()
  }

  /** A client asks a node to load a document, or to delete it. */
  ask(node: Node, id: string, text: string | null): void {
    const { process, seen } = node
    if (!process) return
    const { replica } = process
    const attempt = { id, text }
    this.acknowledgements.ask(attempt)
    replica
      .change('api_spec', () => {
        if (text !== null) return [{ id, document: document(id, text) }]
        if (replica.get('api_spec', id)?.document) return [{ id, document: null }]
        throw new ServiceError('service.error.not_found', 'there is no such document')
      })
      .then(
        ([change]) => {
          if (node.process !== process || !change) return
          const { stamp } = change.entry
          this.acknowledgements.acknowledge(attempt, stamp)
          const newest = seen.get(id)
          if (newest && compareStamps(stamp, newest.stamp) < 0) {
            this.wrongs.push(`${id}: a load is older than ${formatStamp(newest.stamp)} seen before`)
          }
        },
        (error: unknown) => {
          if (node.process !== process) return
          this.acknowledgements.refuse(attempt)
          if (!hasUri(error, 'service.error.not_found')) this.#expect(error)
        },
      )
  }

  /** What must hold at any time: what a node holds is on its disk, and never goes back to an earlier version. */
  check(nodes: readonly Node[] = this.nodes): void {
    for (const { name, process, seen, store } of nodes) {
      const versionOf = ({ id, stamp }: Entry) => `${id} of ${formatStamp(stamp)}`
      for (const entry of process?.replica.entries('api_spec') ?? []) {
        const newest = seen.get(entry.id)
        if (newest === entry) continue
        const row = store.row('api_spec', entry.id)
        if (!row || compareEntries(row, entry) < 0) {
          this.wrongs.push(`${name} holds ${versionOf(entry)}, and its disk does not`)
        }
        if (newest && compareEntries(entry, newest) < 0) {
          const from = formatStamp(newest.stamp)
          this.wrongs.push(`${name} goes back from ${from} to ${versionOf(entry)}`)
        }
        seen.set(entry.id, entry)
      }
    }
  }

  async #startReplica(replica: Replica, store: MemoryStore): Promise<void> {
    if (this.#mutation === 'no-tombstones') store.forgetDeleted()
    const { observe } = HybridClock.prototype
    if (this.#mutation === 'no-clock-persistence') HybridClock.prototype.observe = ignore
    await replica.start()
    HybridClock.prototype.observe = observe
  }

  #makeLive(name: string, live: Map<string, Entry>, changes: readonly Change[]): void {
    for (const { entry, before } of changes) {
      if (live.get(entry.id) !== before) {
        this.wrongs.push(`${name} has missed a change of ${entry.id}`)
      }
      live.set(entry.id, entry)
    }
  }

  #noteLost(name: string, { id, stamp }: Entry): void {
    const version = `${id} of ${formatStamp(stamp)}`
    if (stamp.node !== name) this.wrongs.push(`${name} tells of the loss of ${version}`)
    if (this.#lost.has(version)) this.wrongs.push(`${version} is lost twice`)
    this.#lost.add(version)
  }

  #logOf(name: string): Log {
    const warn = (fields: object) => {
      if ('err' in fields) this.#expect(fields.err)
    }
    const error = (fields: object | string) => {
      if (typeof fields === 'object' && 'err' in fields) this.#expect(fields.err)
      else this.wrongs.push(`${name} logs: ${JSON.stringify(fields)}`)
    }
    const ways = { trace: ignore, debug: ignore, info: ignore }
    return { ...ways, warn, error, fatal: error } as Log
  }

  #expect(error: unknown): void {
    if (!isExpected(error)) this.wrongs.push(String(error))
  }
}
