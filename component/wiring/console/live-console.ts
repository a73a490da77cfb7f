/** What the consoles that are open at this node see of the cluster: changes, conflicts, nodes, and the numbers of all processes. */

import type { Registry } from '#component/registry/registry.ts'
import type { Change, Kind } from '#component/replica/entry.ts'
import { opened } from '#component/replica/envelope.ts'
import type { Sync } from '#component/sync/sync.ts'
import { isMap, type JsonMap, memberOf } from '#component/syntax/values.ts'
import type { Watch, WatchedEvent } from '#component/wamp/session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import { ConsoleEvents } from './console-events.ts'
import { RequestWatch } from './request-watch.ts'
import { RequestWindow } from './request-window.ts'
import { RouteUse } from './route-use.ts'
import { StatsWatch } from './stats-watch.ts'

/** The parts of the node that consoles see. */
export interface ConsoleParts {
  readonly own: SupervisedSession
  readonly sync: Sync
  readonly registry: Pick<Registry, 'info'>
}

/** The state of the listeners. */
type State = { readonly inFlight: number; readonly isReady: boolean } | undefined

/** The numbers of all processes are asked for at this interval, and looked at for nodes that have come and gone; milliseconds. */
const renewMs = 2_000
/** For so long; seconds. */
const watchSeconds = 10
/** Milliseconds that the router may take. */
const timeoutMs = 5_000

const statsTopic = 'service.stats.'
const requestsTopic = 'service.requests.'
/** How the events of changes begin. */
const eventNames: Readonly<Partial<Record<Kind, string>>> = { api_spec: 'on', realm: 'on_realm' }

const noop = () => undefined

/** What is subscribed to while a console is open. */
const subscriptions: readonly { readonly topic: string; readonly match?: 'prefix' }[] = [
  { topic: 'service.api_spec.on_conflict' },
  { topic: statsTopic, match: 'prefix' },
  { topic: requestsTopic, match: 'prefix' },
]

/** Of one process. */
export class LiveConsole {
  readonly events = new ConsoleEvents()
  /** The use of routes at all nodes. */
  readonly routeUse: RouteUse
  /** The requests of this process, while operators watch them. */
  readonly requests: RequestWatch
  /** Gives the state of the listeners, once they are open. */
  state: () => State = noop
  readonly #context: WiringContext
  readonly #parts: ConsoleParts
  readonly #stats: StatsWatch
  #watches: readonly Watch[] = []
  #isSubscribing = false
  #peers: ReadonlySet<string> = new Set()
  #stopTimer: () => void = noop

  constructor(context: WiringContext, parts: ConsoleParts) {
    this.#context = context
    this.#parts = parts
    const { clock, families, node, yieldTurn } = context
    const window = new RequestWindow(families, () => clock.now(), yieldTurn)
    this.routeUse = new RouteUse(window, parts.sync, clock.now())
    this.#stats = new StatsWatch({
      ...{ clock, node, window },
      state: () => this.state(),
      tell: (stats) => this.#tellStats(stats),
    })
    this.requests = new RequestWatch({
      ...{ clock, node },
      realmOf: (id) => this.#realmOf(id),
      tell: (name, data) => this.#tellRequest({ event: name, ...data }),
    })
    parts.sync.onWatch = ({ stats, requests, filter }) => {
      if (typeof stats === 'number') this.#stats.watch(Math.min(stats, watchSeconds))
      if (typeof requests === 'number') this.requests.watch(requests, filter)
    }
    const { replica } = context
    const { onLive } = replica
    replica.onLive = (changes) => {
      onLive(changes)
      this.#tellChanges(changes)
    }
    this.events.onFirst = () => this.#start()
    this.events.onNone = () => this.#end()
  }

  /** Ends all consoles of this process. */
  stop(): void {
    this.events.close()
    this.#stats.stop()
    this.requests.stop()
  }

  /** Has all nodes tell of requests. @throws WampError where the others cannot be told */
  async watchRequests(seconds: number, filter: object): Promise<void> {
    this.requests.watch(seconds, filter)
    const { own, sync } = this.#parts
    if (own.isOpen) await sync.tell('watch', { requests: seconds, filter })
  }

  #start(): void {
    this.#peers = new Set(this.#parts.sync.peerNames)
    this.#renew()
  }

  #renew(): void {
    this.#stopTimer = this.#context.clock.after(renewMs, () => this.#renew())
    this.#stats.watch(watchSeconds)
    this.#tellNodes()
    if (!this.#parts.own.isOpen) return
    this.#parts.sync.tell('watch', { stats: watchSeconds }).catch(noop)
    void this.#subscribe()
  }

  #end(): void {
    this.#stopTimer()
    for (const watch of this.#watches) watch.end()
    this.#watches = []
  }

  async #subscribe(): Promise<void> {
    if (this.#watches.length > 0 || this.#isSubscribing) return
    this.#isSubscribing = true
    const handlers = {
      onEvent: (event: WatchedEvent) => this.#pass(event),
      onMissed: noop,
      onLost: noop,
      onBack: noop,
      onRefused: noop,
    }
    const settled = await Promise.allSettled(
      subscriptions.map(({ topic, match }) =>
        this.#parts.own.watch(topic, match ? { match } : {}, timeoutMs, handlers),
      ),
    )
    this.#isSubscribing = false
    this.#watches = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    if (!this.events.isWatched) this.#end()
  }

  /** Passes an event of the component's realm on. */
  #pass({ topic, payload: { kwargs } }: WatchedEvent): void {
    if (topic.startsWith(statsTopic)) {
      this.#showStats(kwargs)
      return
    }
    if (topic.startsWith(requestsTopic)) {
      this.#showRequest(kwargs)
      return
    }
    this.events.tell({ name: 'on_conflict', data: kwargs, realm_uri: this.#realmOf(kwargs.id) })
  }

  /** The realm of a document; undefined where it is not there. */
  #realmOf(id: unknown): string | undefined {
    try {
      return String(this.#parts.registry.info(String(id)).realm_uri)
    } catch {
      return undefined
    }
  }

  #tellChanges(changes: readonly Change[]): void {
    if (!this.events.isWatched) return
    for (const { entry, before } of changes) {
      const name = eventNames[entry.kind]
      if (name === undefined) continue
      const { id, hash, document } = opened(entry)
      const { ms: ts, node } = entry.stamp
      const realm =
        name === 'on_realm' ? id : memberOf(document ?? opened(before)?.document, 'realm_uri')
      this.events.tell({
        name: `${name}_${document === null ? 'delete' : 'load'}`,
        data: { id, ts, hash, node, by: entry.by },
        realm_uri: textOf(realm),
      })
    }
  }

  #tellNodes(): void {
    const ts = this.#context.clock.now()
    const now = new Set(this.#parts.sync.peerNames)
    const tell = (name: string, node: string) =>
      this.events.tell({ name, data: { node, ts }, realm_uri: undefined })
    for (const node of now) if (!this.#peers.has(node)) tell('on_node_join', node)
    for (const node of this.#peers) if (!now.has(node)) tell('on_node_leave', node)
    this.#peers = now
  }

  #tellStats(stats: JsonMap): void {
    this.#showStats(stats)
    if (this.#parts.sync.processNames.length > 0) this.#publish(statsTopic, stats)
  }

  /** Operators subscribe to requests, too, whether there are other nodes or not. */
  #tellRequest(data: JsonMap): void {
    this.#showRequest(data)
    this.#publish(requestsTopic, data)
  }

  #publish(topic: string, kwargs: JsonMap): void {
    const { own } = this.#parts
    if (!own.isOpen) return
    const options = { acknowledge: false, exclude_me: true }
    own
      .publish(`${topic}${this.#context.node}`, { args: [], kwargs }, options, timeoutMs)
      .catch(noop)
  }

  #showRequest({ event, ...data }: JsonMap): void {
    const name = event === 'dropped' ? event : 'request'
    this.events.tell({ name, data, realm_uri: this.#realmOf(data.api_spec) })
  }

  /** Operators of one realm are told of its documents alone. */
  #showStats(stats: JsonMap): void {
    const all = Array.isArray(stats.routes) ? stats.routes.filter(isMap) : []
    this.events.tellEach('stats', (within) => {
      if (within === undefined) return stats
      const { node, ts, seconds, bounds } = stats
      const routes = all.filter(({ api }) => this.#realmOf(api) === within)
      return { node, ts, seconds, bounds, routes }
    })
  }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined
