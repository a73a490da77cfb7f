/** One running worker as the primary sees it, and what the primary asks of workers. */
import type { ChildProcess } from 'node:child_process'
import type { Clock } from '#component/clock.ts'
import type { FilePatterns, FilesLoaded } from '#component/wiring/configured-files.ts'
import { type Channel, ChannelLost } from './ipc-channel.ts'
import type { ToPrimary, ToWorker } from './ipc-messages.ts'
import type { Recipient } from './listening-sockets.ts'

/** A running worker. */
export interface Member {
  readonly name: string
  readonly child: ChildProcess
  readonly channel: Channel<ToPrimary, ToWorker>
  readonly recipient: Recipient
  state: 'starting' | 'started' | 'ready' | 'leaving'
  /** It received SIGTERM. */
  isToLeave: boolean
}

/** How long workers may take to end after they have stopped; milliseconds. */
const endGrace = 2_000

/** The workers that run, by number; no process of them outlives this one. */
export class Members extends Map<number, Member> {
  readonly #clock: Pick<Clock, 'after'>

  constructor(clock: Pick<Clock, 'after'>) {
    super()
    this.#clock = clock
    // for every end but SIGKILL: then the workers notice it themselves
    process.once('exit', this.kill)
  }

  readonly kill = (): void => {
    for (const { child } of this.values()) child.kill('SIGKILL')
  }

  /** Ends those that have stopped, as soon as each is alone. */
  async end(): Promise<void> {
    const running = [...this.values()].map(({ child }) => child)
    const ended = running.map((child) => new Promise((resolve) => child.once('exit', resolve)))
    for (const child of running) disconnect(child)
    const stopTimer = this.#clock.after(endGrace, this.kill)
    await Promise.all(ended)
    stopTimer()
    process.off('exit', this.kill)
  }
}

/** The answers of workers; late ones are left out. @param limit milliseconds */
export async function askEach<K extends 'metrics' | 'refresh'>(
  members: readonly Member[],
  name: K,
  limit: number,
) {
  const all = await Promise.allSettled(
    members.map(({ channel }) => channel.ask(name, null, { limit })),
  )
  return all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
}

/** How long a worker may take to load the configured files; milliseconds. */
const loadLimit = 600_000

/**
 * Lets one worker load the configured files that have changed, and the next one if that worker ends meanwhile.
 * @param members those that have started
 * @throws Error when none of them can load files now
 */
export async function loadFilesOnce(
  members: readonly Member[],
  patterns: FilePatterns,
): Promise<FilesLoaded> {
  for (const member of members) {
    try {
      const loaded = await member.channel.ask('loadFiles', patterns, { limit: loadLimit })
      for (const other of members) {
        if (other !== member) other.channel.tell('refusedFiles', loaded.refused)
      }
      return loaded
    } catch (error) {
      if (!(error instanceof ChannelLost)) throw error
    }
  }
  throw new Error('no worker has started')
}

/**
 * Drains a worker; one that does not stop is killed.
 * @param drainDelay milliseconds
 * @param limit how long the worker may take in all; milliseconds
 * @throws Error when it did not stop as it should
 */
export async function stopMember(member: Member, drainDelay: number, limit: number): Promise<void> {
  try {
    await member.channel.ask('stop', drainDelay, { limit })
  } catch (error) {
    member.child.kill('SIGKILL')
    if (!(error instanceof ChannelLost)) throw error
  }
}

/** Ends a worker that has stopped, as soon as it is alone. */
export function disconnect(child: ChildProcess): void {
  if (child.connected) child.disconnect()
}
