/** Tells when watched files have changed: editors replace files, and container platforms turn links, so folders are watched. */
import { type FSWatcher, watch } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Clock } from '#component/clock.ts'
import { messageOf } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { foldersOf, stateOf } from './watched-files.ts'

/** Files are read when they have not changed for this long; milliseconds. */
const settleMs = 100

/** Files that never stop changing are read after so many times {@link settleMs}. */
const mostPauses = 10

/** At most as many folders are watched, because the kernel counts them for all processes of a user. */
const mostFolders = 1_000

/** Dependencies of {@link FileWatcher}. */
export interface WatcherPorts {
  readonly clock: Pick<Clock, 'after'>
  readonly log: Pick<Log, 'warn'>
  /** Called when the files have changed and have settled; never rejects. The next change is told when it is over. */
  onChange(): Promise<void>
  /** `watch` of node:fs, unless a test has another one. */
  readonly watchFolder?: typeof watch
}

/** A folder as it was when it was opened: another one may have taken its place. */
interface WatchedFolder {
  readonly ino: number
  readonly watcher: FSWatcher
}

/** Watches the files of patterns. */
export class FileWatcher {
  readonly #ports: WatcherPorts
  readonly #folders = new Map<string, WatchedFolder>()
  /** Folders that cannot be watched; each is told once. */
  readonly #failed = new Set<string>()
  #patterns: readonly string[] = []
  #state = ''
  #isStirred = false
  #isRunning = false
  #isClosed = false
  #stopTimer: () => void = () => undefined

  constructor(ports: WatcherPorts) {
    this.#ports = ports
  }

  /**
   * Watches these files and globs from now on, in the place of those before. Never rejects.
   * @param state of the files when they were last read; absent: they are read after this
   */
  async follow(patterns: readonly string[], state?: string): Promise<void> {
    this.#patterns = patterns
    try {
      await this.#openFolders()
      this.#state = state ?? (await stateOf(patterns))
    } catch (error) {
      this.#tellError(error)
    }
    if (state !== undefined) this.#stir()
  }

  /** Watches nothing any more, and tells nothing. */
  close(): void {
    this.#isClosed = true
    this.#stopTimer()
    for (const folder of [...this.#folders.keys()]) this.#leave(folder)
  }

  async #openFolders(): Promise<void> {
    const all = [...(await foldersOf(this.#patterns))]
    const [surplus] = all.slice(mostFolders)
    if (surplus !== undefined) {
      this.#tellFailure(surplus, `at most ${mostFolders} folders are watched, and there are more`)
    }
    const wanted = new Set(all.slice(0, mostFolders))
    for (const folder of [...this.#folders.keys()]) {
      if (!wanted.has(folder)) this.#leave(folder)
    }
    for (const folder of wanted) await this.#enter(folder)
  }

  async #enter(folder: string): Promise<void> {
    try {
      const { ino } = await stat(folder)
      if (this.#isClosed || this.#folders.get(folder)?.ino === ino) return
      this.#leave(folder)
      const { watchFolder = watch } = this.#ports
      const watcher = watchFolder(folder, { persistent: false }, () => this.#stir())
      watcher.on('error', (error) => this.#tellFailure(folder, error))
      this.#folders.set(folder, { ino, watcher })
    } catch (error) {
      this.#tellFailure(folder, error)
    }
  }

  #leave(folder: string): void {
    this.#folders.get(folder)?.watcher.close()
    this.#folders.delete(folder)
  }

  #tellFailure(folder: string, error: unknown): void {
    this.#leave(folder)
    if (this.#isClosed || this.#failed.has(folder)) return
    this.#failed.add(folder)
    const message = 'changes in the folder are not noticed: send SIGHUP after a change'
    this.#ports.log.warn({ folder, reason: messageOf(error) }, message)
  }

  /** Something has happened in a folder, perhaps to other files. */
  #stir(): void {
    this.#isStirred = true
    if (!this.#isRunning) void this.#run()
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    while (this.#isStirred && !this.#isClosed) {
      this.#isStirred = false
      await this.#look().catch((error: unknown) => this.#tellError(error))
    }
    this.#isRunning = false
  }

  async #look(): Promise<void> {
    // before the state is read: what happens in a new folder from then on is the next change
    await this.#openFolders()
    const state = await this.#settledState()
    if (state === this.#state || this.#isClosed) return
    this.#state = state
    await this.#ports.onChange()
  }

  #tellError(error: unknown): void {
    if (this.#isClosed) return
    this.#ports.log.warn({ reason: messageOf(error) }, 'the watched files cannot be listed')
  }

  async #settledState(): Promise<string> {
    let state = await stateOf(this.#patterns)
    for (let pauses = 0; pauses < mostPauses; pauses += 1) {
      await new Promise<void>((resolve) => {
        this.#stopTimer = this.#ports.clock.after(settleMs, resolve)
      })
      const next = await stateOf(this.#patterns)
      if (next === state) break
      state = next
    }
    return state
  }
}
