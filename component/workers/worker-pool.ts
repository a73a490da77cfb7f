/** The workers: started, asked, replaced when they end, and stopped together. */
import { type ChildProcess, fork } from 'node:child_process'
import { extname, join } from 'node:path'
import type { Clock } from '#component/clock.ts'
import { type Config, ConfigError } from '#component/config/config.ts'
import type { Log } from '#component/log.ts'
import type { MetricValues } from '#http/management/metrics.ts'
import { Channel, ChannelLost } from './ipc-channel.ts'
import type { ToPrimary, ToWorker } from './ipc-messages.ts'
import type { ListeningSockets, Recipient } from './listening-sockets.ts'

const program = join(import.meta.dirname, `worker${extname(import.meta.filename)}`)

/** How long a worker may take to accept a connection; milliseconds. A worker without a free file descriptor never answers. */
const takeLimit = 10_000

/** How long workers may take to tell their metrics, and to take over a change; milliseconds. */
const metricsLimit = 1_000
const refreshLimit = 2_000

/** The time that a worker may take to stop beside `drain_delay` and `drain_timeout`, and to end after it has stopped; milliseconds. */
const stopGrace = 10_000
const endGrace = 2_000

/** Pause before a worker is replaced that ended before it was ready; doubles with each in a row; milliseconds. */
const backOff = { least: 100, most: 5_000 }

/** A signal to all processes reaches the primary within this time; milliseconds. */
const signalSpread = 100

/** The dependencies of the pool. */
export interface WorkerPoolPorts {
  /** As it was read; `node` is the name that workers add their numbers to. */
  readonly config: Config & { readonly node: string }
  readonly sockets: ListeningSockets
  readonly routerSocket: string | undefined
  readonly clock: Clock
  readonly log: Log
  /** See `ToPrimary`. */
  refreshRouter(): Promise<void>
  /** The metrics of the primary itself. */
  metrics(): Promise<MetricValues>
}

/** A running worker. */
interface Member {
  readonly name: string
  readonly child: ChildProcess
  readonly channel: Channel<ToPrimary, ToWorker>
  readonly recipient: Recipient
  state: 'starting' | 'started' | 'ready' | 'leaving'
  /** It received SIGTERM. */
  isToLeave: boolean
}

/** The promise of the first start of a worker. */
interface Start {
  resolve(): void
  reject(error: Error): void
}

/** All workers of the gateway. */
export class WorkerPool {
  readonly #ports: WorkerPoolPorts
  readonly #members = new Map<number, Member>()
  /** Number 1 loads the configured files; the others begin when that is done. */
  readonly #begun = Promise.withResolvers<void>()
  /** By number: those that have been ready once. */
  readonly #haveBeenReady = new Set<number>()
  #isStopping = false

  constructor(ports: WorkerPoolPorts) {
    this.#ports = ports
    // for every end but SIGKILL: then the workers notice it themselves
    process.once('exit', this.#kill)
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
      this.#kill()
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
    const { config, clock, sockets, log, routerSocket } = this.#ports
    const name = `${config.node}-${number}`
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
        ready: () => this.#ready(number, member),
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
        refreshOthers: async () => {
          // the router follows issued tokens as the other workers do
          await Promise.all([
            this.#askOthers(member, 'refresh', refreshLimit),
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
    const { addresses } = sockets
    // a file that was refused since ends no gateway that serves
    const fail_on_refused_files = config.fail_on_refused_files && !this.#haveBeenReady.has(number)
    const own = { ...config, node: name, fail_on_refused_files }
    const settings = { config: own, addresses, routerSocket }
    if (number === 1) channel.tell('start', settings)
    else void this.#begun.promise.then(() => channel.tell('start', settings))
    return member
  }

  #ready(number: number, member: Member): void {
    const { sockets, log } = this.#ports
    member.state = 'ready'
    if (this.#isStopping) return
    this.#haveBeenReady.add(number)
    // before the first connection, which workers would refuse otherwise
    if (this.areAllReady) {
      for (const { channel } of this.#members.values()) channel.tell('allReady', null)
    }
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
    this.#stop(leaver, config.gateway.drain_delay).then(
      () => disconnect(leaver.child),
      (err: unknown) => log.error({ err, worker: leaver.name }, 'a worker did not stop cleanly'),
    )
  }

  /** The metrics of all processes but the one that asks. */
  async #gather(asker: Member): Promise<readonly MetricValues[]> {
    const [own, others] = await Promise.all([
      this.#ports.metrics(),
      this.#askOthers(asker, 'metrics', metricsLimit),
    ])
    return [own, ...others]
  }

  /** The answers of all workers that have started but one; late ones are left out. */
  async #askOthers<K extends 'metrics' | 'refresh'>(asker: Member, name: K, limit: number) {
    const others = [...this.#members.values()].filter(
      (one) => one !== asker && one.state !== 'starting',
    )
    const all = await Promise.allSettled(
      others.map(({ channel }) => channel.ask(name, null, { limit })),
    )
    return all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  }

  /** Drains a worker; one that does not stop is killed. */
  async #stop(member: Member, drainDelay: number): Promise<void> {
    const limit = drainDelay + this.#ports.config.gateway.drain_timeout + stopGrace
    try {
      await member.channel.ask('stop', drainDelay, { limit })
    } catch (error) {
      member.child.kill('SIGKILL')
      if (!(error instanceof ChannelLost)) throw error
    }
  }

  /** Drains all of them; rejects when one did not stop as it should. They pass on what goes to the embedded router still. */
  async stop(drainDelay: number): Promise<void> {
    this.#isStopping = true
    const members = [...this.#members.values()]
    const all = await Promise.allSettled(
      members.map(async (member) => {
        if (member.state === 'starting') member.child.kill('SIGKILL')
        else await this.#stop(member, drainDelay)
      }),
    )
    for (const one of all) if (one.status === 'rejected') throw one.reason
  }

  /** Ends those that have stopped. */
  async end(): Promise<void> {
    const running = [...this.#members.values()].map(({ child }) => child)
    const ended = running.map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of running) disconnect(child)
    const stopTimer = this.#ports.clock.after(endGrace, this.#kill)
    await Promise.all(ended)
    stopTimer()
    process.off('exit', this.#kill)
  }

  readonly #kill = (): void => {
    for (const { child } of this.#members.values()) child.kill('SIGKILL')
  }
}

/** A worker that has stopped ends when it is alone. */
function disconnect(child: ChildProcess): void {
  if (child.connected) child.disconnect()
}
