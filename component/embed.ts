/** The public entry of the package: a gateway within another program. */
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { systemClock } from './clock.ts'
import { type Component, startComponent } from './component.ts'
import { type Config, ConfigError, configOf } from './config/config.ts'
import { openProcessLog } from './log.ts'
import { openReload, type Reloads, watchedState } from './reload/open-reload.ts'
import type { Change } from './replica/entry.ts'

export { ConfigError } from './config/config.ts'
export { ServiceError } from './errors.ts'

/** A value of which every member may be left out. */
type Partly<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { readonly [K in keyof T]?: Partly<T[K]> }
    : T

/** The options of docs/configuration.md, as an object; what is left out has its default. */
export type Options = Partly<Config>

/** A handler of node:http, which connect, Express and Koa (by `ctx.req` and `ctx.res`) take, too. */
export type RequestHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: () => void,
) => void

/** An API Specification that became live here, or went; whichever node has taken the change. */
export interface DocumentEvent {
  readonly id: string
  /** SHA-256 of the canonical document (RFC 8785), hexadecimal; null for a deletion. */
  readonly hash: string | null
  /** The node that has taken the change. */
  readonly node: string
  /** When it did; milliseconds since the epoch. */
  readonly ts: number
}

interface Events {
  load: [event: DocumentEvent]
  delete: [event: DocumentEvent]
}

/**
 * A gateway: its own listeners, WAMP sessions and store, within this process; it starts once. Several may run side by side. It sets
 * nothing that belongs to the process: no signal handlers, no environment variables, no log of other packages.
 */
export class WampGateway extends EventEmitter<Events> {
  readonly #config: Config
  readonly #log: Logger
  #isStarted = false
  readonly #ending = new AbortController()
  #starting: Promise<unknown> = Promise.resolve()
  #component: Component | undefined
  #reloads: Reloads | undefined
  #stopped: Promise<void> | undefined

  /**
   * @param options validated at once
   * @param log a pino logger; absent: standard output in the form of `log.format`, of the level `log.level`
   * @throws ConfigError with a line for each problem
   */
  constructor(options: Options = {}, { log }: { readonly log?: Logger } = {}) {
    super()
    this.#config = configOf(options)
    if (this.#config.workers > 1)
      throw new ConfigError(['option "workers": must be 1: an embedded gateway is one process'])
    this.#log = log ?? openProcessLog({ ...this.#config.log, isShared: false }).log
  }

  /**
   * Opens the store, joins the router and listens.
   * @throws ConfigError for a configuration that must not be served, Error when an address is taken, and when it is stopped
   *   meanwhile; nothing stays open then
   */
  async start(): Promise<void> {
    if (this.#isStarted) throw new Error('the gateway has been started')
    this.#isStarted = true
    const starting = this.#start()
    this.#starting = starting.catch(() => undefined)
    await starting
  }

  async #start(): Promise<void> {
    const config = this.#config
    const state = await watchedState(config)
    this.#component = await startComponent(config, this.#log, systemClock, {
      signal: this.#ending.signal,
    })
    this.#component.watch(this.#tell)
    if (!config.watch) return
    const ports = { gateway: this.#component, clock: systemClock, readConfig: () => config }
    this.#reloads = openReload({ ...ports, config, state })
  }

  /** Whether the gateway has started and has caught up with its peers. */
  get isReady(): boolean {
    return this.#component?.isReady() ?? false
  }

  /** Where it listens; empty lists before the start. */
  get urls(): {
    readonly gateway: readonly string[]
    readonly admin: readonly string[]
    readonly health: readonly string[]
    readonly router: string
  } {
    const {
      gatewayUrls = [],
      adminUrls = [],
      healthUrls = [],
      routerUrl = '',
    } = this.#component ?? {}
    return { gateway: gatewayUrls, admin: adminUrls, health: healthUrls, router: routerUrl }
  }

  /**
   * Loads an API Specification; its routes are live and on disk when this resolves.
   * @throws ServiceError; one of an invalid document lists every issue in `toJSON().details`
   */
  async load(document: object): Promise<{ id: string; ts: number }> {
    return (await this.call('service.load_api_spec', document)) as { id: string; ts: number }
  }

  /**
   * Performs a management procedure (docs/operations.md, "Management") with all rights.
   * @param args in the order of that table
   * @throws ServiceError
   */
  async call(procedure: string, ...args: readonly unknown[]): Promise<unknown> {
    return await this.#started.manage(procedure, args)
  }

  /**
   * A handler for a server of this program, such as `http.createServer(gateway.handler())`. It serves the routes of the loaded
   * API Specifications, not management. A request that no route serves goes to `next`, or gets 404 without one.
   */
  handler(): RequestHandler {
    return this.#started.handler()
  }

  /**
   * Stops accepting requests, finishes those in flight within `gateway.drain_timeout`, and closes everything. Once, however often
   * it is called. A start that has not ended stops what it has opened, and rejects.
   * @param drainDelay milliseconds during which requests are still accepted, so that a load balancer notices
   */
  async stop({ drainDelay = 0 }: { readonly drainDelay?: number } = {}): Promise<void> {
    if (!this.#isStarted) return
    this.#stopped ??= this.#stop(drainDelay)
    await this.#stopped
  }

  async #stop(drainDelay: number): Promise<void> {
    this.#ending.abort(new Error('the gateway was stopped while it started'))
    await this.#starting
    const component = this.#component
    this.#component = undefined
    this.#reloads?.close()
    await component?.stop(drainDelay)
  }

  get #started(): Component {
    if (!this.#component) throw new Error('the gateway is not started')
    return this.#component
  }

  readonly #tell = (changes: readonly Change[]): void => {
    for (const { entry } of changes) {
      const { id, hash, stamp } = entry
      const event = { id, hash, node: stamp.node, ts: stamp.ms }
      // later: what a listener throws must not fail the change
      process.nextTick(() => this.emit(hash === null ? 'delete' : 'load', event))
    }
  }
}
