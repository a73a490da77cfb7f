/** A log whose lines a test can read. */
import { openLog } from '#component/log.ts'

/** A line, as JSON gives it. */
export type LogLine = Readonly<Record<string, unknown>>

/** Opens a log that keeps its lines. */
export function keptLog(level = 'info') {
  const lines: LogLine[] = []
  const log = openLog(level, { write: (text: string) => void lines.push(JSON.parse(text)) })
  return { log, lines }
}
