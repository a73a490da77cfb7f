/** The numbers of other parts, which are read when the metrics are asked for. */

/** One number of a metric with labels. */
export interface MetricSample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** A metric whose numbers are read: calls in flight, sessions, loads, registry entries. */
export interface MetricSource {
  readonly help: string
  /** Whether the number only grows. */
  readonly isCounter?: boolean
  /** How the numbers of several processes become one: by default they are parts of a sum. */
  readonly across?: 'sum' | 'max' | 'min' | 'average'
  /** The names of the labels that every sample has; absent: one number without labels. */
  readonly labels?: readonly string[]
  read(): number | readonly MetricSample[]
}

/** Such metrics by name. */
export type MetricSources = Readonly<Record<string, MetricSource>>
