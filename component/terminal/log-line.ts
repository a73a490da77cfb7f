/** A line of the log as text for a person: the time, the level, the message, and the fields that say more. */
import { styleText } from 'node:util'
import { isMap } from '#component/syntax/values.ts'

/** How lines are written. */
export interface LineStyle {
  readonly hasColor: boolean
  /** Whether each line names its node, as where several processes share a terminal. */
  readonly hasNode: boolean
}

type Entry = Readonly<Record<string, unknown>>
type Format = Parameters<typeof styleText>[0]

const levels: Readonly<Record<string, Format>> = {
  trace: 'gray',
  debug: 'blue',
  info: 'green',
  warn: 'yellow',
  error: 'red',
  fatal: ['bold', 'red'],
}
const widest = 5

/** Told in other ways than as a field. */
const told = new Set(['level', 'time', 'node', 'msg', 'err', 'reason', 'hint', 'issues'])

/** The fields of a request that its line begins with, and those that matter only when it has failed. */
const requestFields = new Set(['method', 'route', 'status', 'duration', 'bytes', 'peer'])
const failureFields = new Set(['request_id', 'trace_id', 'span_id', 'sampled'])

/**
 * The text of one entry: one line, more for issues of a document, a hint, and the stack of an error that nobody expected. What is
 * unprintable is shown as an escape, so that no text of a client controls the terminal.
 */
export function logLine(entry: Entry, style: LineStyle): string {
  const paint = (format: Format, text: string) =>
    style.hasColor ? styleText(format, text, { validateStream: false }) : text
  const level = String(entry.level)
  const head = [
    paint('gray', timeOf(entry.time)),
    paint(levels[level] ?? 'gray', level.padEnd(widest)),
    printable(messageOf(entry)),
    ...fieldsOf(entry, style).map(([name, value]) => `${paint('gray', `${name}=`)}${value}`),
  ]
  const below = [
    ...issuesOf(entry),
    ...stackOf(entry).map((line) => paint('gray', line)),
    ...(typeof entry.hint === 'string'
      ? [`${paint('cyan', 'hint:')} ${printable(entry.hint)}`]
      : []),
  ]
  return [head.join(' '), ...below.map((line) => `${indent}${line}`), ''].join('\n')
}

/** The column of the messages. */
const indent = ' '.repeat('00:00:00'.length + widest + 2)

/** The local time of day. */
const timeOf = (time: unknown): string => new Date(String(time)).toTimeString().slice(0, 8)

const isRequest = ({ msg, method, status }: Entry): boolean =>
  msg === 'request' && typeof method === 'string' && typeof status === 'number'

function messageOf(entry: Entry): string {
  if (isRequest(entry)) return requestOf(entry)
  // the reason repeats the first of the issues, which stand below
  const reason = issuesOf(entry).length > 0 ? undefined : entry.reason
  const cause = isMap(entry.err) ? entry.err.message : reason
  return [entry.msg, cause].filter((part) => typeof part === 'string' && part !== '').join(': ')
}

function requestOf({ method, route, status, duration }: Entry): string {
  const place = route === '' ? '(no route)' : String(route)
  return `${String(method).toUpperCase()} ${place} ${status} ${Number(duration).toFixed(1)} ms`
}

function fieldsOf(entry: Entry, { hasNode }: LineStyle): (readonly [string, string])[] {
  const isGood = isRequest(entry) && entry.error === undefined
  const isShown = (name: string) => {
    if (name === 'node') return hasNode
    if (told.has(name)) return false
    if (!isRequest(entry)) return true
    return !requestFields.has(name) && !(isGood && failureFields.has(name))
  }
  return Object.entries(entry)
    .filter(([name]) => isShown(name))
    .map(([name, value]) => [printable(name), fieldText(value)])
}

/** The value of a field as text without a space outside of quotes. */
export function fieldText(value: unknown): string {
  if (typeof value === 'string') return wordOf(value)
  if (typeof value === 'number') return String(Number(value.toFixed(1)))
  if (Array.isArray(value)) return value.map(fieldText).join(',')
  return printable(JSON.stringify(value))
}

/** A word stands as it is; a SHA-256 hash in the form that commands print and take. */
function wordOf(value: string): string {
  if (/^[0-9a-f]{64}$/.test(value)) return value.slice(0, 8)
  return /^[^\s"=,]+$/.test(value) ? printable(value) : printable(JSON.stringify(value))
}

function issuesOf({ issues }: Entry): string[] {
  if (!Array.isArray(issues)) return []
  return issues
    .filter(isMap)
    .map(({ path, message }) => printable(`${path === '' ? '(document)' : path}: ${message}`))
}

/** The stack of an error without a code: errors with one are failures of networks, files and requests, which their message tells. */
function stackOf({ level, err }: Entry): string[] {
  if ((level !== 'error' && level !== 'fatal') || !isMap(err)) return []
  if (err.code !== undefined || err.uri !== undefined || typeof err.stack !== 'string') return []
  const lines = err.stack.split('\n').map((line) => printable(line.trim()))
  return lines.filter((line) => line.startsWith('at '))
}

/** The text with every control and format character as an escape. */
const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  )
