/** Logging: one JSON line an event; secrets never get here. */
import { type DestinationStream, type Logger, pino } from 'pino'

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
