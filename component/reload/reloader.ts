/** Reads configuration, certificate and files of a running gateway again; whatever is wrong there changes nothing and is told. */
import type { Clock } from '#component/clock.ts'
import type { Config } from '#component/config/config.ts'
import { type TlsFiles, tlsFilesOf } from '#component/config/tls-files.ts'
import { messageOf } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import type { FilePatterns, FilesLoaded } from '#component/wiring/configured-files.ts'
import type { LogLevel } from '#component/wiring/log-level.ts'
import { optionsForRestart } from './restart-options.ts'
import { TlsReload, type TlsReloadable } from './tls-reload.ts'

/** What a running gateway takes over. */
export interface Reloadable extends TlsReloadable {
  readonly log: Log
  readonly logLevel: Pick<LogLevel, 'current' | 'set'>
  /**
   * Loads the configured files that have changed.
   * @throws Error while changes are refused, such as without the router; then nothing was loaded
   */
  loadFiles(patterns: FilePatterns): Promise<FilesLoaded>
}

/** Dependencies of {@link Reloader}. */
export interface ReloaderPorts {
  readonly gateway: Reloadable
  /** The configuration that the gateway runs with. */
  readonly config: Config
  /** Reads the configuration anew. @throws ConfigError */
  readConfig(): Config
  /** Told the configuration that was read, before its files are. */
  onConfig(config: Config): Promise<void>
  readonly clock: Pick<Clock, 'now' | 'after'>
}

/** Who asks for a reload. */
export interface Asker {
  readonly by: string
  /** Whether an operator asks, who is told everything again; otherwise a file has changed. */
  readonly isOperator: boolean
}

/** Milliseconds until files are read again that could not be loaded for a reason that passes. */
const retryMs = 10_000

/** One for a running gateway. */
export class Reloader {
  readonly #ports: ReloaderPorts
  readonly #tls: TlsReload
  #config: Config
  #toldOptions: readonly string[] = []
  #running: Promise<void> | undefined
  /** Who has asked while a reload was running. */
  #next: Asker | undefined
  #stopRetry: () => void = () => undefined
  #isClosed = false

  constructor(ports: ReloaderPorts) {
    this.#ports = ports
    this.#config = ports.config
    this.#tls = new TlsReload(ports.gateway, ports.clock)
  }

  /** Reloads once more, after the reload that runs now if there is one. Resolves when all that were asked for are done; never rejects. */
  reload(asker: Asker): Promise<void> {
    if (this.#running === undefined) this.#running = this.#run(asker)
    else if (this.#next?.isOperator !== true) this.#next = asker
    return this.#running
  }

  /** Begins no more reloads; one that runs ends by itself. */
  close(): void {
    this.#isClosed = true
    this.#stopRetry()
  }

  async #run(first: Asker): Promise<void> {
    let asker: Asker | undefined = first
    while (asker && !this.#isClosed) {
      this.#stopRetry()
      await this.#once(asker)
      asker = this.#next
      this.#next = undefined
    }
    this.#running = undefined
  }

  async #once(asker: Asker): Promise<void> {
    const { log } = this.#ports.gateway
    let config: Config
    try {
      config = this.#ports.readConfig()
    } catch (cause) {
      const line = { by: asker.by, reason: messageOf(cause) }
      log.error(line, 'the configuration was refused: nothing has changed')
      return
    }
    this.#tellOptions(config, asker)
    this.#setLevel(config, asker)
    this.#config = config
    // before any file is read: what changes from then on is the next change
    await this.#ports.onConfig(config)
    const tls = tlsFilesOf(config.gateway.tls)
    if (tls) this.#tls.reload(this.#withoutRestart(tls), asker.isOperator)
    await this.#loadFiles(config, asker)
  }

  #tellOptions(config: Config, { isOperator }: Asker): void {
    const options = optionsForRestart(this.#ports.config, config)
    const isNews = options.join() !== this.#toldOptions.join()
    this.#toldOptions = options
    if (options.length === 0 || !(isNews || isOperator)) return
    this.#ports.gateway.log.warn({ options }, 'these options have changed: restart the gateway')
  }

  /** An operator gets the configured level; a changed file leaves one that was set meanwhile. */
  #setLevel({ log: { level } }: Config, { by, isOperator }: Asker): void {
    const { logLevel } = this.#ports.gateway
    const isMeant = isOperator || level !== this.#config.log.level
    if (isMeant && level !== logLevel.current) logLevel.set(level, by)
  }

  /** Whether certificates are served, and whose clients show, waits for a restart. */
  #withoutRestart({ certificates }: TlsFiles): TlsFiles {
    const running = tlsFilesOf(this.#ports.config.gateway.tls)
    const isServed = (running?.certificates.length ?? 0) > 0
    const { clients } = running ?? {}
    return { certificates: isServed ? certificates : [], ...(clients && { clients }) }
  }

  async #loadFiles(config: Config, { by }: Asker): Promise<void> {
    const { gateway, clock } = this.#ports
    const retry = () => {
      this.#stopRetry = clock.after(retryMs, () => {
        void this.reload({ by: 'another try', isOperator: false })
      })
    }
    try {
      const { loaded, refused } = await gateway.loadFiles(config)
      gateway.log.info({ by, loaded, refused: refused.length }, 'the configured files were read')
      if (refused.some(({ isForNow }) => isForNow)) retry()
    } catch (cause) {
      const reason = messageOf(cause)
      const message = 'the configured files cannot be loaded now: trying again in 10 seconds'
      gateway.log.error({ by, reason }, message)
      if (!this.#isClosed) retry()
    }
  }
}
