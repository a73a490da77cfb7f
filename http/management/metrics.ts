/** The metrics for Prometheus: what is counted by place, and the numbers of the process and of other parts. */
import { endText, type Format } from '#component/metrics/exposition.ts'
import type { Families } from '#component/metrics/families.ts'
import type { Family } from '#component/metrics/family.ts'
import { familyText } from '#component/metrics/family-text.ts'
import { addPacked, packed } from '#component/metrics/packed.ts'
import type { ServedPath } from '#component/metrics/place.ts'
import type { Series } from '#component/metrics/series.ts'
import type { MetricSources } from '#component/metrics/source.ts'
import { runSteps, type YieldTurn } from '#component/yielding.ts'
import { addedUp, ProcessMetrics, type ProcessValues, processText } from './process-metrics.ts'
import { requestMetrics } from './request-metrics.ts'

/** The metrics of one process, as data. */
export interface MetricValues {
  readonly values: ProcessValues
  /** The series as texts: read in short steps, and passed between processes unread. */
  readonly series: readonly string[]
}

/** A process that has no metrics yet. */
export const noMetrics: MetricValues = { values: [], series: [] }

/** The other processes of this gateway: every process answers for all of them. */
export interface MetricSiblings {
  /** Registers the function that answers for this process. */
  answerBy(read: () => Promise<MetricValues>): void
  /** The metrics of the other processes; a process that does not answer in time is left out. */
  gather(): Promise<readonly MetricValues[]>
}

/** Dependencies of {@link Metrics}. */
export interface MetricPorts {
  readonly families: Families
  readonly sources: MetricSources
  readonly siblings?: MetricSiblings | undefined
  /** Yields to other requests while the text is written. */
  readonly yieldTurn?: YieldTurn
}

/** Whether the metrics of a document are shown, by its id. */
export type IsShown = (api: string) => boolean

/** Characters in one piece of the text. */
const pieceLength = 65_536

/** The metrics of the process. */
export class Metrics {
  readonly #process: ProcessMetrics
  readonly #requests: Family
  readonly #ports: MetricPorts

  constructor(ports: MetricPorts) {
    this.#ports = ports
    const { families, siblings, sources } = ports
    this.#requests = requestMetrics(families)
    this.#process = new ProcessMetrics({
      ...sources,
      gateway_metrics_series: {
        help: 'Series of the metrics that metrics.max_series bounds; of several processes their sum.',
        read: () => families.size,
      },
    })
    siblings?.answerBy(() => this.own())
  }

  /** Counts a request that is over. @param traceId of a trace that is recorded @param endMs of `performance.now` */
  count(
    path: ServedPath,
    method: string,
    status: number,
    durationMs: number,
    traceId?: string,
    endMs = 0,
  ): void {
    const series = this.#requests.on(path, method, status)
    series.observe(durationMs / 1000, traceId)
    series.countedAt = endMs
  }

  /**
   * The text for Prometheus in pieces, yielding between them; with several processes, their sums.
   * @param isShown where it is given, the text has the series of these documents, and none of the node
   */
  async *render(format: Format = 'text', isShown?: IsShown): AsyncGenerator<string> {
    const { yieldTurn } = this.#ports
    const { values, families } = await this.#read()
    const all = await runSteps(families.collect(), yieldTurn)
    const series = isShown ? ofDocuments(all, isShown) : all
    let piece = ''
    const shown = isShown ? [] : values
    for (const text of textOf(shown, series, format, families.hasApiLabel)) {
      piece += text
      const pause = yieldTurn?.()
      if (pause) await pause
      if (piece.length < pieceLength) continue
      yield piece
      piece = ''
    }
    yield piece + endText(format)
  }

  /** Stops watching the event loop. */
  close(): void {
    this.#process.close()
  }

  /** The metrics of this process alone. */
  async own(): Promise<MetricValues> {
    const { families, yieldTurn } = this.#ports
    await families.sweep()
    const series: string[] = []
    for (const [family, all] of await runSteps(families.collect(), yieldTurn)) {
      for (const text of packed(family, all)) {
        series.push(text)
        await yieldTurn?.()
      }
    }
    return { values: await this.#process.read(), series }
  }

  async #read(): Promise<{ readonly values: ProcessValues; readonly families: Families }> {
    const { families, siblings, yieldTurn } = this.#ports
    if (!siblings) {
      await families.sweep()
      return { values: await this.#process.read(), families }
    }
    const all = [await this.own(), ...(await siblings.gather())]
    const sum = families.copy()
    for (const text of all.flatMap(({ series }) => series)) {
      addPacked(sum, text)
      await yieldTurn?.()
    }
    return { values: await addedUp(all.map(({ values }) => values)), families: sum }
  }
}

/** The series of some documents; those of the node, and of what no document serves, are left out. */
const ofDocuments = (
  all: ReadonlyMap<Family, readonly Series[]>,
  isShown: IsShown,
): ReadonlyMap<Family, readonly Series[]> =>
  new Map(
    [...all].flatMap(([family, series]) =>
      family.plan.isOfNode
        ? []
        : [[family, series.filter(({ subject }) => isShown(subject.version.api))] as const],
    ),
  )

function* textOf(
  values: ProcessValues,
  series: ReadonlyMap<Family, readonly Series[]>,
  format: Format,
  hasApiLabel: boolean,
): Generator<string> {
  yield* processText(values, format)
  for (const [family, all] of series) yield* familyText(family, all, format, hasApiLabel)
}
