/** Counts the calls of tools. */
import { Family, type SeriesStock } from '#component/metrics/family.ts'
import type { ServedVersion } from '#component/metrics/place.ts'

/** Is told of calls of tools. */
export interface ToolWatch {
  /**
   * A tool was called by a client that may see it.
   * @param name of the tool, as its document writes it
   * @param status that its operation has answered
   */
  called(version: ServedVersion, name: string, status: number): void
}

/** Keeps the metric of calls. */
export class ToolMetrics implements ToolWatch {
  readonly #calls: Family

  constructor(stock: SeriesStock) {
    const name = 'gateway_tool_calls_total'
    const help =
      'Calls of tools by API Specification, version, tool, and the status that its operation has returned.'
    this.#calls = new Family({ name, help, subject: 'tool', labels: ['status'] }, stock)
  }

  called(version: ServedVersion, name: string, status: number): void {
    this.#calls.at(version, name, status).add()
  }
}
