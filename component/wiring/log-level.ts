/** The level of a gateway's log, which operators change while it runs. */
import type { Log } from '#component/log.ts'

/** A logger whose level can be set. */
interface Leveled extends Pick<Log, 'info'> {
  level: string
}

/** A change of the level. */
export interface LevelChange {
  readonly level: string
  readonly former_level: string
}

/** One level for several loggers: a logger of pino does not follow the one that it was made of. */
export class LogLevel {
  readonly #first: Leveled
  readonly #loggers: readonly Leveled[]
  /** Told of each change that is made here. */
  onChange: (level: string) => void = () => undefined
  #beforeDebug: string = 'info'

  /** @param first gets the lines about changes */
  constructor(first: Leveled, ...others: readonly Leveled[]) {
    this.#first = first
    this.#loggers = [first, ...others]
  }

  /** The level now. */
  get current(): string {
    return this.#first.level
  }

  /**
   * Changes the level, and logs that whatever the level is.
   * @param level one of `logLevels`
   * @param by who asked
   */
  set(level: string, by: string): LevelChange {
    const former_level = this.current
    if (level === 'debug' && former_level !== 'debug') this.#beforeDebug = former_level
    this.#first.level = 'info'
    this.#first.info({ log_level: level, former_level, by }, 'the log level is set')
    this.follow(level)
    this.onChange(level)
    return { level, former_level }
  }

  /** Sets the level to `debug`, or from there to the level before it. */
  toggleDebug(by: string): void {
    this.set(this.current === 'debug' ? this.#beforeDebug : 'debug', by)
  }

  /** Takes over the level that another process of this gateway has set. */
  follow(level: string): void {
    for (const logger of this.#loggers) logger.level = level
  }
}
