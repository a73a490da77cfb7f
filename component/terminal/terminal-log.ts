/** The log on a terminal: takes the JSON lines of pino and writes lines for a person. */
import { type LineStyle, logLine } from './log-line.ts'
import type { Progress } from './progress.ts'

/** What a {@link TerminalLog} writes with. */
export interface TerminalLogPorts {
  readonly style: LineStyle
  /** Takes whole lines. */
  write(text: string): void
  /** Its line makes way for those of the log. */
  readonly progress: Progress
}

/**
 * A destination of pino. Until {@link hasStarted} it leaves out the lines of level `info`: the result of a start tells a person more than
 * its steps. With `log.level: debug` every line is shown.
 */
export class TerminalLog {
  readonly #ports: TerminalLogPorts
  #isQuiet: boolean

  /** @param isQuiet whether the steps of the start are left out */
  constructor(ports: TerminalLogPorts, isQuiet: boolean) {
    this.#ports = ports
    this.#isQuiet = isQuiet
  }

  /** @param line JSON, as pino makes it */
  write(line: string): void {
    const entry = JSON.parse(line) as Readonly<Record<string, unknown>>
    if (this.#isQuiet && entry.level === 'info') return
    const { progress, style, write } = this.#ports
    progress.clear()
    write(logLine(entry, style))
  }

  /** From now on, lines of level `info` are shown. */
  hasStarted(): void {
    this.#isQuiet = false
  }
}
