/** Whether the gateway has reached its targets. */
import { generator } from './load.ts'
import { type Result, type Row, shown, tableOf } from './report.ts'
import { ratioOf, type Spread, spreadOf } from './statistics.ts'
import { type RatioTarget, type Target, targets } from './targets.ts'

/** What became of a target. */
interface Verdict {
  readonly target: Target
  readonly found?: Spread
  readonly verdict: string
  /** Why it does not count, or was not measured. */
  readonly why?: string
}

/** Rates of the two sides of a comparison at one rate may differ by this share. */
const tolerance = 0.1

/** Why a row says nothing about its candidate; undefined: it does. */
function flawOf(row: Row, { limit, figure }: RatioTarget): string | undefined {
  const { candidate, errors, cores, ratio } = row
  if (errors > 0) return `${candidate}: ${errors} errors`
  if (figure === 'p99' && generator !== 'wrk') return `${generator} tells whole milliseconds`
  if (row.limit === 'rate') {
    if (Math.abs(ratio.median - 1) <= tolerance) return undefined
    return `${candidate}: ${ratio.median.toFixed(2)} × the rate of its baseline`
  }
  if (figure === 'cpu' || row.limit === 'itself' || row.limit === limit) return undefined
  return `${candidate}: ${cores.toFixed(2)} cores, limit: ${row.limit}`
}

const isWithin = (
  { median }: Spread,
  { atLeast = 0, atMost = Number.POSITIVE_INFINITY }: Target,
) => (median >= atLeast && median <= atMost ? 'reached' : 'not reached')

function judge(target: Target, { rows, figures, missing, failure }: Result): Verdict {
  if (failure !== undefined) return { target, verdict: 'not measured', why: failure }
  if ('name' in target) {
    const figure = figures.find(({ name }) => name === target.name)
    if (!figure) return { target, verdict: 'not measured' }
    const found = spreadOf(figure.values)
    return { target, found, verdict: isWithin(found, target) }
  }
  const names = [target.candidate, target.against]
  const [mine, theirs] = names.map((name) => rows.find(({ candidate }) => candidate === name))
  if (!mine || !theirs) {
    const absent = missing.find(({ name }) => names.includes(name))
    return { target, verdict: 'not measured', why: `${absent?.name}: ${absent?.why}` }
  }
  const [values, base] = [mine, theirs].map(({ rounds }) =>
    rounds.map((round) => round[target.figure]),
  )
  const found = ratioOf(values ?? [], base ?? [])
  const verdict = isWithin(found, target)
  const flaws = [mine, theirs].map((row) => flawOf(row, target)).filter(Boolean)
  if (flaws.length === 0) return { target, found, verdict }
  return { target, found, verdict: `does not count (${verdict})`, why: flaws.join('; ') }
}

/** Judges all targets of the scenarios that were measured. */
export function judgeAll(results: ReadonlyMap<string, Result>): readonly Verdict[] {
  return targets.flatMap((target) => {
    const result = results.get(target.scenario)
    return result ? [judge(target, result)] : []
  })
}

/** A Markdown table. */
export function targetsText(verdicts: readonly Verdict[]): string {
  const lines = verdicts.map(({ target, found, verdict, why = '' }) => {
    const { what, atLeast, atMost } = target
    return [
      'against' in target ? `${what}, against ${target.against}` : what,
      atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`,
      found ? shown(found, found.max < 100 ? 2 : 0) : '',
      verdict,
      why,
    ]
  })
  return `## Targets\n\n${tableOf(['target', 'bound', 'found (min–max)', 'verdict', 'why'], lines)}\n`
}
