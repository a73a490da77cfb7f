/** Logging: one line an event, JSON or for people; secrets never get here. */
import { type DestinationStream, type Logger, pino } from 'pino'
import { noProgress, type Progress } from '#component/terminal/progress.ts'
import { TerminalLog } from '#component/terminal/terminal-log.ts'

/** The log of every part: an object for machines, then a message for people. */
export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

/** The levels of the log, the most verbose first. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Whether the value is one of {@link logLevels}. */
export const isLogLevel = (value: unknown): value is string =>
  logLevels.some((level) => level === value)

/** Keys that are masked in every line, should one be logged by mistake. */
const secretKeys = ['password', 'secret', 'token', 'ticket', 'authorization', 'cookie', 'key']

/** Whole lines, as many as a pipe takes in one piece (PIPE_BUF): several processes may write to it. */
const batches = { minLength: 4000, maxWrite: 4096 }

/**
 * Opens the log of the process: JSON lines on standard output, written in batches.
 * @param level one of {@link logLevels}
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: secretKeys.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]),
        censor: '[masked]',
      },
    },
    destination ?? pino.destination({ fd: 1, sync: false, ...batches, periodicFlush: 100 }),
  )
}

/** The options `log.level`, `log.format` and `workers` of the configuration. */
export interface LogOptions {
  readonly level: string
  readonly format: string
  /** Whether several processes write to the same output. */
  readonly isShared: boolean
  /** Whether people see the result of a start instead of its steps. */
  readonly isQuietAtStart?: boolean
}

/** The log of a process that is starting. */
export interface ProcessLog {
  readonly log: Logger
  /** Whether its lines are for people, not JSON. */
  readonly isForPeople: boolean
  /** On a terminal: shows lines of level `info` from now on. */
  hasStarted(): void
}

/**
 * Opens the log of the process in the form of `log.format`, on standard output.
 * @param progress a line of the same terminal
 */
export function openProcessLog(
  { level, format, isShared, isQuietAtStart = false }: LogOptions,
  progress: Progress = noProgress,
): ProcessLog {
  const { stdout } = process
  const isForPeople = format === 'pretty' || (format === 'auto' && stdout.isTTY === true)
  if (!isForPeople) return { log: openLog(level), isForPeople, hasStarted: () => undefined }
  const style = { hasColor: stdout.isTTY === true && stdout.hasColors(), hasNode: isShared }
  const terminal = new TerminalLog(
    { style, write: (text) => void stdout.write(text), progress },
    isQuietAtStart && level === 'info',
  )
  return { log: openLog(level, terminal), isForPeople, hasStarted: () => terminal.hasStarted() }
}
