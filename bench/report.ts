/** The rounds of a scenario as rows, and rows as a table. */
import { availableParallelism } from 'node:os'
import type { Round } from './measure.ts'
import type { Candidate, Figure, Missing } from './stage.ts'
import { median, ratioOf, type Spread, spreadOf } from './statistics.ts'

/** From this share of a core on, a process is the limit. */
const saturated = 0.95

/** A candidate's line: medians of its rounds. */
export interface Row extends Round {
  readonly candidate: string
  /** Whose figures are 1.0. */
  readonly baseline: string
  /** Answers per second against the baseline's. */
  readonly ratio: Spread
  /** CPU per request against the baseline's. */
  readonly cpuRatio: Spread
  /**
   * What kept it from answering more: `itself`; `machine`, it had work to do and no core; the name of another process or
   * `load`; `waiting`, for others that were not busy all the time either; or `rate`, it was asked no faster.
   */
  readonly limit: string
  readonly rounds: readonly Round[]
}

function limitOf(
  { cores, ready, others }: Pick<Round, 'cores' | 'ready' | 'others'>,
  { cores: canUse = 1, load }: Candidate,
): string {
  if ('rate' in load) return 'rate'
  if (cores >= saturated * canUse) return 'itself'
  const { machine = 0, ...processes } = others
  const [busiest] = Object.entries(processes).toSorted(([, a], [, b]) => b - a)
  if (busiest && busiest[1] >= saturated) return busiest[0]
  const isShort = ready >= saturated || machine >= saturated * availableParallelism()
  return isShort ? 'machine' : 'waiting'
}

/** @param results rounds by the name of the candidate */
export function rowsOf(
  candidates: readonly Candidate[],
  results: ReadonlyMap<string, readonly Round[]>,
): readonly Row[] {
  return candidates.map((candidate) => {
    const { name, against = candidates[0]?.name ?? '' } = candidate
    const rounds = results.get(name) ?? []
    const base = results.get(against) ?? []
    const all = (key: Exclude<keyof Round, 'others'>, of = rounds) => of.map((round) => round[key])
    const cores = median(all('cores'))
    const ready = median(all('ready'))
    const names = Object.keys(rounds[0]?.others ?? {})
    const others = Object.fromEntries(
      names.map((other) => [other, median(rounds.map((round) => round.others[other] ?? 0))]),
    )
    return {
      candidate: name,
      baseline: against,
      rate: median(all('rate')),
      cpu: median(all('cpu')),
      cores,
      ready,
      p50: median(all('p50')),
      p99: median(all('p99')),
      errors: all('errors').reduce((sum, errors) => sum + errors, 0),
      rss: median(all('rss')),
      others,
      limit: limitOf({ cores, ready, others }, candidate),
      ratio: ratioOf(all('rate'), all('rate', base)),
      cpuRatio: ratioOf(all('cpu'), all('cpu', base)),
      rounds,
    }
  })
}

const columns = [
  'requests/s',
  'CPU µs/request (least)',
  'cores (ready)',
  'limit',
  'p50 ms',
  'p99 ms',
  'errors',
  'RSS MB',
  'ratio (min–max)',
  'CPU ratio (min–max)',
]

/** A median and what it lies between. */
export const shown = ({ median, min, max }: Spread, digits = 2) =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`

/** A Markdown table; columns of figures are flush right. */
export function tableOf(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const columns = head.map((title, at) => {
    const cells = lines.map((line) => line[at] ?? '')
    const width = Math.max(...[title, ...cells].map((cell) => cell.length))
    return { width, isFigure: cells.every((cell) => cell === '' || /^[≤≥\d-]/.test(cell)) }
  })
  const row = (cells: readonly string[]) => {
    const padded = columns.map(({ width, isFigure }, at) => {
      const cell = cells[at] ?? ''
      return isFigure ? cell.padStart(width) : cell.padEnd(width)
    })
    return `| ${padded.join(' | ')} |`
  }
  const dashes = columns.map(
    ({ width, isFigure }) => `${'-'.repeat(width + 1)}${isFigure ? ':' : '-'}`,
  )
  return [row(head), `|${dashes.join('|')}|`, ...lines.map(row)].join('\n')
}

/** What a scenario came to. */
export interface Result {
  readonly about: string
  readonly rows: readonly Row[]
  readonly missing: readonly Missing[]
  readonly figures: readonly Figure[]
  /** Why there is nothing: something did not start, or an answer was wrong before the first round. */
  readonly failure?: string
}

function rowsText(title: string, { rows, missing }: Result): string {
  const lines = rows.map((row) => [
    row.candidate,
    row.rate.toFixed(0),
    // other work of the machine makes a round slower, never faster
    `${row.cpu.toFixed(1)} (${Math.min(...row.rounds.map(({ cpu }) => cpu)).toFixed(1)})`,
    `${row.cores.toFixed(2)} (${row.ready.toFixed(2)})`,
    row.limit,
    row.p50.toFixed(2),
    row.p99.toFixed(2),
    String(row.errors),
    row.rss.toFixed(0),
    shown(row.ratio),
    shown(row.cpuRatio),
  ])
  const absent = missing.map(({ name, why }) => `- ${name}: ${why}`).join('\n')
  const table = lines.length > 0 ? tableOf([title, ...columns], lines) : ''
  return [table, absent].filter(Boolean).join('\n\n')
}

function figuresText(title: string, figures: readonly Figure[]): string {
  const lines = figures.map(({ name, unit, values }) => {
    const spread = spreadOf(values)
    return [name, shown(spread, spread.max < 100 ? 2 : 0), unit]
  })
  return tableOf([title, 'median (min–max)', 'unit'], lines)
}

/** The table of a scenario, and who could not be measured. */
export function scenarioText(title: string, result: Result): string {
  const { about, figures, failure } = result
  if (failure !== undefined) return `## ${title}: ${about}\n\nFailed: ${failure}\n`
  const table = figures.length > 0 ? figuresText(title, figures) : rowsText(title, result)
  return `## ${title}: ${about}\n\n${table}\n`
}
