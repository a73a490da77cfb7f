/** Logging: one JSON line an event; secrets never get here. */
import { type DestinationStream, type Logger, pino } from 'pino'

/** What every part logs through: a message for people after an object for machines. */
export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

/** Takes lines that somebody else has made, each with its line break. */
export type LineSink = (line: string) => void

/** Keys that are masked wherever somebody should log them by mistake. */
const secretKeys = ['password', 'secret', 'token', 'ticket', 'authorization', 'cookie', 'key']

/** Bytes that are written at once; fewer after 100 ms. */
const batch = 8192

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
    destination ?? pino.destination({ fd: 1, sync: false, minLength: batch, periodicFlush: 100 }),
  )
}

/**
 * A way into the same output for lines of level `info` that are too many for pino (a line a request) and hold nothing to
 * be masked. Lines of one turn of the event loop are handed over together: the output looks at all that it holds for each
 * text it is given. undefined when the level keeps them out.
 */
export function lineSink(log: Logger): LineSink | undefined {
  if (!log.isLevelEnabled('info')) return undefined
  const output = (log as unknown as Readonly<Record<symbol, DestinationStream | undefined>>)[
    pino.symbols.streamSym
  ]
  let lines = ''
  const flush = () => {
    const text = lines
    lines = ''
    output?.write(text)
  }
  return (line) => {
    if (lines === '') setImmediate(flush)
    lines += line
  }
}
