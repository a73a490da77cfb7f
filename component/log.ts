/** Logging: one JSON line an event; secrets never get here. */
import { type DestinationStream, type Logger, pino } from 'pino'

/** What every part logs through: a message for people after an object for machines. */
export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

/** Keys that are masked wherever somebody should log them by mistake. */
const secretKeys = ['password', 'secret', 'token', 'ticket', 'authorization', 'cookie', 'key']

/** Whole lines, as many as a pipe takes in one piece (PIPE_BUF): several processes may write to it. */
const batches = { minLength: 4000, maxWrite: 4096 }

/**
 * Opens the log of the process: JSON lines on standard output, written in batches.
 * @param level `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`
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
