/** The workers: started, asked, replaced when they end, and stopped together. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Clock } from '#component/clock.ts'
import { type Config, ConfigError } from '#component/config/config.ts'
import { SharedTokens } from '#component/credentials/shared-tokens.ts'
import type { Log } from '#component/log.ts'
import { moduleEnding, programRoot } from '#component/program-root.ts'
import type { Contents } from '#component/running-gateway.ts'
import type { FilePatterns, FilesLoaded } from '#component/wiring/configured-files.ts'
import type { LogLevel } from '#component/wiring/log-level.ts'
import type { MetricValues } from '#http/management/metrics.ts'
import { Channel, ChannelLost } from './ipc-channel.ts'
import type { Settings, ToPrimary, ToWorker } from './ipc-messages.ts'
import type { ListeningSockets } from './listening-sockets.ts'
import {
  askEach,
  disconnect,
  loadFilesOnce,
  type Member,
  type Members,
  stopMember,
} from './member.ts'

const program = join(programRoot, `component/workers/worker${moduleEnding}`)

/** How long a worker may take to accept a connection; milliseconds. A worker without a free file descriptor never answers. */
const takeLimit = 10_000

/** How long workers may take to tell their metrics, and to take over a change; milliseconds. */
const metricsLimit = 1_000
const refreshLimit = 2_000

/** The time that a worker may take to stop beside `drain_delay` and `drain_timeout`; milliseconds. */
const stopGrace = 10_000

/** Pause before a worker is replaced that ended before it was ready; doubles with each in a row; milliseconds. */
const backOff = { least: 100, most: 5_000 }

/** A signal to all processes reaches the primary within this time; milliseconds. */
const signalSpread = 100

const nameOf = (node: string, number: number) => `${node}-${number}`

/** The names of the workers of a node. */
export const workerNames = (node: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => nameOf(node, index + 1))

/** The dependencies of the pool. */
export interface WorkerPoolPorts {
  /** `node` is the name that workers add their numbers to. */
  readonly config: Pick<Config, 'gateway' | 'workers'> & { readonly node: string }
  readonly sockets: ListeningSockets
  /** Those that run, by number. */
  readonly members: Members
  /** The start message of a worker. @param isReplacement whether one of this name has been ready before */
  settingsOf(name: string, isReplacement: boolean): Settings
  readonly clock: Clock
  readonly log: Log
  readonly logLevel: LogLevel
  /** See `ToPrimary`. */
  refreshRouter(): Promise<void>
  /** The metrics of the primary itself. */
  metrics(): Promise<MetricValues>
}

/** The promise of the first start of a worker. */
interface Start {
  resolve(): void
  reject(error: Error): void
}

/** All workers of the gateway. */
export class WorkerPool {
  readonly #ports: WorkerPoolPorts
  readonly #members: Members
  /** As the worker told that was ready last. */
  contents: Contents = { apiSpecs: 0, refusedFiles: 0 }
  /** Number 1 loads the configured files; the others begin when that is done. */
  readonly #begun = Promise.withResolvers<void>()
  /** By number: those that have been ready once. */
  readonly #haveBeenReady = new Set<number>()
  /** Those for upstreams, which one worker fetches for all. */
  readonly #tokens: SharedTokens
  #isStopping = false

  constructor(ports: WorkerPoolPorts) {
    this.#ports = ports
    this.#members = ports.members
    this.#tokens = new SharedTokens(ports.clock)
  }

  /**
   * Starts all of them; resolves when each has started.
   * @throws the failure of the first worker that cannot start
   */
  async start(): Promise<void> {
    try {
      const numbers = Array.from({ length: this.#ports.config.workers }, (_, index) => index + 1)
      await Promise.all(numbers.map((number) => this.#employ(number)))
    } catch (error) {
      this.#isStopping = true
      this.#members.kill()
      throw error
    }
  }

  /** Whether every number has been ready once; stays true while a worker is replaced. */
  get areAllReady(): boolean {
    return this.#haveBeenReady.size === this.#ports.config.workers
  }

  #employ(number: number): Promise<void> {
    return new Promise((resolve, reject) => this.#run(number, 0, { resolve, reject }))
  }

  /** Keeps a worker of this number running. @param attempt how many in a row have ended before they were ready */
  #run(number: number, attempt: number, start: Start): void {
    if (this.#isStopping) return
    const { sockets, log } = this.#ports
    let member: Member
    try {
      member = this.#fork(number, start)
    } catch (err) {
      log.error({ err, number }, 'a worker cannot be started')
      this.#runLater(number, attempt + 1, start)
      return
    }
    const { child, name } = member
    this.#members.set(number, member)
    log.info({ worker: name, pid: child.pid }, 'a worker starts')
    const end = (code: number | null, signal: NodeJS.Signals | null) => {
      this.#members.delete(number)
      sockets.dismiss(member.recipient)
      this.#tokens.leave(name)
      const level = this.#isStopping || member.state === 'leaving' ? 'info' : 'error'
      log[level]({ worker: name, pid: child.pid, code, signal }, 'a worker has ended')
      const wasReady = member.state === 'ready' || member.state === 'leaving'
      this.#runLater(number, wasReady ? 0 : attempt + 1, start)
    }
    child.once('exit', end)
    child.on('error', (err) => {
      log.error({ err, worker: name }, 'a worker process has failed')
      if (child.pid === undefined) end(null, null) // a process that was never started does not exit
    })
  }

  #runLater(number: number, attempt: number, start: Start): void {
    const { most, least } = backOff
    const pause = attempt === 0 ? 0 : Math.min(most, least * 2 ** (attempt - 1))
    this.#ports.clock.after(pause, () => this.#run(number, attempt, start))
  }

  #fork(number: number, start: Start): Member {
    const { config, clock, sockets, log, settingsOf } = this.#ports
    const name = nameOf(config.node, number)
    // the argument shows the name in the list of processes
    const child = fork(program, [name], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const channel = new Channel<ToPrimary, ToWorker>(
      child,
      {
        open: () => {
          // a replacement takes no connections before it is ready
          if (!this.areAllReady) sockets.admit(member.recipient)
        },
        started: () => {
          member.state = 'started'
          this.#begun.resolve()
          start.resolve()
        },
        ready: (contents) => {
          this.contents = contents
          this.#ready(number, member)
        },
        closed: () => {
          if (this.#isStopping) sockets.closeToClients()
          else sockets.dismiss(member.recipient)
        },
        failed: ({ message, isConfig }) => {
          log.error({ worker: name }, message)
          start.reject(isConfig ? new ConfigError([message]) : new Error(message))
        },
        leave: () => {
          clock.after(signalSpread, () => {
            member.isToLeave = true
            this.#letLeave()
          })
        },
        gather: () => this.#gather(member),
        refreshRouter: () => this.#ports.refreshRouter(),
        health: (told) => {
          for (const { channel } of this.#started(member)) channel.tell('health', told)
        },
        setLogLevel: ({ level, by }) => this.#ports.logLevel.set(level, by),
        token: (question) => this.#tokens.ask(name, question),
        tokenNews: (news) => this.#tokens.tell(news),
        refreshOthers: async () => {
          // the router follows issued tokens as the other workers do
          await Promise.all([
            askEach(this.#started(member), 'refresh', refreshLimit),
            this.#ports.refreshRouter(),
          ])
        },
      },
      clock,
    )
    const member: Member = {
      name,
      child,
      channel,
      state: 'starting',
      isToLeave: false,
      recipient: {
        // a worker that does not answer may have it: no other worker gets it
        take: (listener, socket) =>
          channel
            .ask('take', listener, { socket, limit: takeLimit })
            .catch((error: unknown) => !(error instanceof ChannelLost)),
      },
    }
    const settings = () => settingsOf(name, this.#haveBeenReady.has(number))
    if (number === 1) channel.tell('start', settings())
    else void this.#begun.promise.then(() => channel.tell('start', settings()))
    return member
  }

  #ready(number: number, member: Member): void {
    const { sockets, log } = this.#ports
    member.state = 'ready'
    if (this.#isStopping) return
    this.#haveBeenReady.add(number)
    // before the first connection, which workers would refuse otherwise
    if (this.areAllReady) this.tell('allReady', null)
    sockets.admit(member.recipient)
    log.info({ worker: member.name }, 'a worker is ready')
    this.#letLeave()
  }

  /** Stops one worker that received SIGTERM, once all others serve; it is replaced. */
  #letLeave(): void {
    const { config, sockets, log } = this.#ports
    const members = [...this.#members.values()]
    const serving = members.filter(({ state }) => state === 'ready')
    const leaver = serving.find(({ isToLeave }) => isToLeave)
    if (this.#isStopping || !leaver || serving.length < config.workers) return
    leaver.state = 'leaving'
    sockets.dismiss(leaver.recipient)
    const { drain_delay } = config.gateway
    stopMember(leaver, drain_delay, this.#stopLimit(drain_delay)).then(
      () => disconnect(leaver.child),
      (err: unknown) => log.error({ err, worker: leaver.name }, 'a worker did not stop cleanly'),
    )
  }

  /** The metrics of all processes but the one that asks. */
  async #gather(asker: Member): Promise<readonly MetricValues[]> {
    const [own, others] = await Promise.all([
      this.#ports.metrics(),
      askEach(this.#started(asker), 'metrics', metricsLimit),
    ])
    return [own, ...others]
  }

  /** The workers that have started, the oldest first; without the one that asks. */
  #started(asker?: Member): Member[] {
    return [...this.#members.values()].filter((one) => one !== asker && one.state !== 'starting')
  }

  /** How long a worker may take to stop. */
  #stopLimit(drainDelay: number): number {
    return drainDelay + this.#ports.config.gateway.drain_timeout + stopGrace
  }

  /** Notifies all of them. */
  tell<K extends 'allReady' | 'logLevel' | 'tls'>(
    name: K,
    value: Parameters<ToWorker[K]>[0],
  ): void {
    for (const { channel } of this.#members.values()) channel.tell(name, value)
  }

  /** Lets one worker load the configured files. @throws Error when none can load them now */
  loadFiles(patterns: FilePatterns): Promise<FilesLoaded> {
    const staying = this.#started().filter(({ state }) => state !== 'leaving')
    return loadFilesOnce(staying, patterns)
  }

  /** Drains all of them; rejects when one did not stop as it should. They pass on what goes to the embedded router still. */
  async stop(drainDelay: number): Promise<void> {
    this.#isStopping = true
    const members = [...this.#members.values()]
    const all = await Promise.allSettled(
      members.map(async (member) => {
        if (member.state === 'starting') member.child.kill('SIGKILL')
        else await stopMember(member, drainDelay, this.#stopLimit(drainDelay))
      }),
    )
    for (const one of all) if (one.status === 'rejected') throw one.reason
  }
}
