/** Several nodes, each a real replica over a store in memory and a sync, on one bus. */
import type { Log } from '#component/log.ts'
import { hashOf, type Kind } from '#component/replica/entry.ts'
import { Replica } from '#component/replica/replica.ts'
import { sealingBy } from '#component/sync/sealing.ts'
import { Sync } from '#component/sync/sync.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { Bus, type BusSession } from './bus.ts'
import { type SimulatedClock, SimulatedTime } from './time.ts'

/** A line of a log. */
interface Line {
  readonly level: 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

function recorder(lines: Line[]): Log {
  const write =
    (level: Line['level']) =>
    (...[first, second]: readonly unknown[]) => {
      const fields = typeof first === 'object' ? (first as Line['fields']) : {}
      lines.push({ level, fields, message: String(second ?? first) })
    }
  const nothing = () => undefined
  return {
    ...{ info: write('info'), warn: write('warn'), error: write('error') },
    ...{ trace: nothing, debug: nothing, fatal: write('error') },
  } as Log
}

/** The key of the fleet. */
export const clusterKey = 'a key that all gateways of the tests have'

interface Setup {
  readonly store?: MemoryStore
  readonly offset?: number
  readonly key?: string
  /** The clock of a database that all share minus the time of the fleet; absent: there is none. */
  readonly storeClock?: number
  /** All have one store, which tells of changes. */
  readonly isStoreShared?: boolean
  readonly workers?: readonly string[]
  /** Leaves the start to the test. */
  readonly isIdle?: boolean
}

/** One gateway. */
export interface SimulatedNode {
  readonly name: string
  readonly replica: Replica
  readonly sync: Sync
  readonly session: BusSession
  readonly store: MemoryStore
  readonly clock: SimulatedClock
  readonly lines: Line[]
  /** Loads a document, or deletes it: text null. */
  load(id: string, text?: string | null, kind?: Kind): Promise<unknown>
  /** The text of a document; null: deleted; undefined: unknown. */
  textOf(id: string, kind?: Kind): unknown
  /** What the node has logged. */
  messages(level: Line['level']): readonly string[]
  /** SIGKILL. */
  kill(): void
}

export class Fleet {
  readonly time: SimulatedTime
  readonly bus: Bus
  readonly nodes: SimulatedNode[] = []

  constructor(seed = 1) {
    this.time = new SimulatedTime(seed)
    this.bus = new Bus(this.time)
  }

  /** Starts a node, which joins at once. */
  async open(name: string, setup: Setup = {}): Promise<SimulatedNode> {
    const lines: Line[] = []
    const clock = this.time.clock(setup.offset)
    const store = setup.store ?? new MemoryStore()
    const log = recorder(lines)
    const replica = new Replica({ store, clock, node: name, log })
    await replica.start()
    const session = this.bus.connect()
    const sealing = sealingBy(setup.key ?? clusterKey)
    const { isStoreShared = false, storeClock, offset = 0, workers } = setup
    const program = { version: '1.0.0', features: [] }
    const sync = new Sync({
      ...{ replica, session, clock, log, node: name, sealing, isStoreShared, workers, program },
      ...(storeClock !== undefined && {
        health: { fault: undefined, clockOffsetMs: storeClock - offset },
      }),
    })
    session.onJoin = () => sync.joined()
    const node: SimulatedNode = {
      ...{ name, replica, sync, session, store, clock, lines },
      load: (id, text = 'one', kind = 'api_spec') =>
        replica.change(kind, () => [{ id, document: text === null ? null : { id, text } }]),
      textOf(id, kind = 'api_spec') {
        const entry = replica.get(kind, id)
        if (entry?.document && hashOf(entry.document) !== entry.hash) return 'broken'
        return entry?.document === null ? null : entry?.document.text
      },
      messages: (level) =>
        lines.filter((line) => line.level === level).map(({ message }) => message),
      kill: () => {
        session.cut()
        sync.leave().catch(() => undefined)
        this.nodes.splice(this.nodes.indexOf(node), 1)
      },
    }
    this.nodes.push(node)
    if (setup.isIdle) return node
    // what it waits for may take time, which passes when the test says so
    sync
      .start()
      .catch((error: unknown) => lines.push({ level: 'error', fields: {}, message: String(error) }))
    await this.run(0)
    return node
  }

  /** Starts several, and lets them meet. */
  async openAll(...names: readonly string[]): Promise<SimulatedNode[]> {
    const nodes: SimulatedNode[] = []
    for (const name of names) nodes.push(await this.open(name))
    await this.run(100)
    return nodes
  }

  /** Time passes. */
  run(ms: number): Promise<void> {
    return this.time.advance(ms)
  }

  /** How many different digests there are. */
  get digests(): number {
    return new Set(this.nodes.map(({ replica }) => replica.digest())).size
  }

  /** Time passes until all hold the same. @returns milliseconds; Infinity when they still differ after `atMost` */
  async untilEqual(atMost = 60_000): Promise<number> {
    const begin = this.time.now
    await this.run(0)
    while (this.digests > 1) {
      if (this.time.now - begin >= atMost) return Number.POSITIVE_INFINITY
      await this.run(10)
    }
    return this.time.now - begin
  }
}
