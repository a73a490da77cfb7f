/** Gateways as far as their registries go: a real replica and sync over a real session, for the tests of sync on real routers. */
import { randomBytes } from 'node:crypto'
import { type Clock, systemClock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import type { Document, Entry } from '#component/replica/entry.ts'
import { Replica } from '#component/replica/replica.ts'
import { openStore, type Store } from '#component/store/database.ts'
import { sealingBy } from '#component/sync/sealing.ts'
import { Sync } from '#component/sync/sync.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { OpenLink } from '#component/wamp/link.ts'
import type { Session } from '#component/wamp/session.ts'
import { basics } from '#test/contract/session/support.ts'
import { until } from '#test/support/running/until.ts'

/** How a node reaches the router. */
interface Reach {
  readonly url?: string | undefined
  readonly openLink?: OpenLink | undefined
}

interface Setup {
  /** Is what it publishes of changes lost? */
  readonly losesEvents?: boolean
  /** Stays open when the node stops: for its next start. */
  readonly store?: Store
  /** How far its clock is off. Milliseconds. */
  readonly clockOffset?: number
}

/** One node. */
export interface RealNode {
  readonly replica: Replica
  readonly sync: Sync
  readonly session: Session
  /** Messages that it logged as warnings or errors, as JSON. */
  readonly complaints: readonly string[]
  /** Loads a document, or deletes it. */
  put(id: string, document: Document | null): Promise<unknown>
  /** The same with a document that is a text. */
  load(id: string, text?: string | null): Promise<unknown>
  /** The text of a document; null: deleted; undefined: unknown. */
  textOf(id: string): unknown
  stop(): Promise<void>
}

/** A store in memory. */
export const memory = (): Promise<Store> => openStore('sqlite::memory:', systemClock)

/** Nodes that have one key, on the component's realm. */
export class RealNodes {
  readonly nodes: RealNode[] = []
  readonly #key: string | Uint8Array

  constructor(key: string | Uint8Array = randomBytes(32)) {
    this.#key = key
  }

  /** Opens a node and waits until it has caught up as far as it can. */
  async open(node: string, reach: Reach, setup: Setup = {}): Promise<RealNode> {
    const store = setup.store ?? (await memory())
    const complaints: string[] = []
    const log = openLog('warn', { write: (line) => void complaints.push(line) })
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now() + (setup.clockOffset ?? 0),
    }
    const replica = new Replica({ store: store.entries, clock, node, log })
    await replica.start()
    let onJoin = () => Promise.resolve()
    const session = componentSession({
      ...{ ...basics, ...reach, realm_uri: 'service.gateway' },
      onJoin: () => onJoin(),
    })
    const port: Session = setup.losesEvents ? withoutChanges(session) : session
    const sealing = sealingBy(this.#key)
    const program = { version: '1.0.0', features: [] }
    const sync = new Sync({ replica, session: port, clock, log, node, sealing, program })
    onJoin = () => sync.joined()
    if (!(await session.joined(5000))) throw new Error('the node could not join')
    await sync.start()
    const put = (id: string, document: Document | null) =>
      replica.change('api_spec', () => [{ id, document }])
    const opened: RealNode = {
      ...{ replica, sync, session, complaints, put },
      load: (id, text = 'one') => put(id, text === null ? null : { id, text }),
      textOf(id) {
        const entry: Entry | undefined = replica.get('api_spec', id)
        return entry?.document === null ? null : entry?.document.text
      },
      stop: async () => {
        this.nodes.splice(this.nodes.indexOf(opened), 1)
        await sync.leave()
        await session.leave()
        if (!setup.store) await store.close()
      },
    }
    this.nodes.push(opened)
    return opened
  }

  /** Waits until all hold the same. */
  async untilEqual(): Promise<void> {
    const digests = () => new Set(this.nodes.map(({ replica }) => replica.digest()))
    await until('all nodes hold the same', () => digests().size === 1)
  }

  async stop(): Promise<void> {
    for (const node of [...this.nodes]) await node.stop()
  }
}

/** The session, but what it publishes of changes gets lost. */
const withoutChanges = (session: Session): Session => ({
  realm_uri: session.realm_uri,
  get isOpen() {
    return session.isOpen
  },
  passesTraceContext: false,
  call: (...call) => session.call(...call),
  register: (...registration) => session.register(...registration),
  subscribe: (...subscription) => session.subscribe(...subscription),
  watch: (...watch) => session.watch(...watch),
  withdraw: () => session.withdraw(),
  leave: () => session.leave(),
  publish: async (topic, ...publication) =>
    topic.startsWith('service.registry.')
      ? session.publish(topic, ...publication)
      : { publication_id: 1 },
})
