/** The rounds of a scenario as rows, and rows as a table. */
import type { Round } from './load.ts'
import { median, type Ratio, ratioOf } from './statistics.ts'

/** A candidate's line: medians of its rounds. */
export interface Row extends Round {
  readonly candidate: string
  /** Answers per second against the baseline's. */
  readonly ratio: Ratio
  /** CPU per request against the baseline's. */
  readonly cpuRatio: Ratio
  readonly rounds: readonly Round[]
}

/** @param results rounds by candidate, the baseline's first */
export function rowsOf(results: ReadonlyMap<string, readonly Round[]>): readonly Row[] {
  const baseline = results.values().next().value ?? []
  return [...results].map(([candidate, rounds]) => {
    const all = (key: keyof Round, of = rounds) => of.map((round) => round[key])
    return {
      candidate,
      rate: median(all('rate')),
      cpu: median(all('cpu')),
      cores: median(all('cores')),
      p50: median(all('p50')),
      p99: median(all('p99')),
      errors: all('errors').reduce((sum, errors) => sum + errors, 0),
      rss: median(all('rss')),
      ratio: ratioOf(all('rate'), all('rate', baseline)),
      cpuRatio: ratioOf(all('cpu'), all('cpu', baseline)),
      rounds,
    }
  })
}

const columns = [
  'requests/s',
  'CPU µs/request',
  'cores',
  'p50 ms',
  'p99 ms',
  'errors',
  'RSS MB',
  'ratio (min–max)',
  'CPU ratio (min–max)',
]

const printed = ({ median, min, max }: Ratio) =>
  `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`

/** A Markdown table. */
export function tableOf(title: string, rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.candidate,
    row.rate.toFixed(0),
    row.cpu.toFixed(0),
    row.cores.toFixed(2),
    String(row.p50),
    String(row.p99),
    String(row.errors),
    row.rss.toFixed(0),
    printed(row.ratio),
    printed(row.cpuRatio),
  ])
  const all = [[title, ...columns], ...lines]
  const widths = [title, ...columns].map((_, column) =>
    Math.max(...all.map((line) => line[column]?.length ?? 0)),
  )
  const rowText = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, at) => `${'-'.repeat(width + 1)}${at === 0 ? '-' : ':'}`).join('|')}|`
  return [rowText(all[0] ?? []), rule, ...lines.map(rowText)].join('\n')
}
