/** What the dashboard is written in: rows of panels, and the queries of a panel in PromQL with three abbreviations. */

/** A unit of Grafana, as its JSON names it. */
type Unit = 'bytes' | 'dateTimeFromNow' | 'none' | 'ops' | 'percentunit' | 'reqps' | 's' | 'short'

/** One panel. */
export interface Panel {
  readonly title: string
  /** What the panel means, and what to do when it looks wrong. */
  readonly description: string
  readonly unit: Unit
  /** Default: lines over time. `table`: one line for each set of labels, one column for each query. */
  readonly kind?: 'stat' | 'table'
  /** Columns of 24; default 8. */
  readonly width?: number
  /** The value from which on something is wrong: drawn as a line, or in red. */
  readonly bad?: number
  /** Units of the columns of a table that have another one. */
  readonly units?: Readonly<Record<string, Unit>>
  /** Legend, or the column of a table, to query. In a legend, `{{label}}` is the value of a label. */
  readonly queries: Readonly<Record<string, string>>
}

/** Panels under one heading. */
export interface Row {
  readonly title: string
  readonly panels: readonly Panel[]
}

/** The gateways that are chosen above the dashboard. */
const gateways = 'job=~"$job",instance=~"$instance"'

/**
 * PromQL without its abbreviations: `@` in braces stands for the gateways that are chosen, `@api` for these and the API that is
 * chosen, and `[@]` for the time that fits the width of the panel.
 */
export const written = (query: string): string =>
  query
    .replaceAll('[@]', '[$__rate_interval]')
    .replaceAll('{@api', `{${gateways},api=~"$api"`)
    .replaceAll('{@', `{${gateways}`)
