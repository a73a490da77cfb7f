/** Probes for tests: one that keeps nothing, one that keeps what it is told. */
import { ExpressionError } from '#component/errors.ts'
import type { Place, Probe, Stage } from '#component/expression/probe/probe.ts'

/** Keeps nothing. */
export const deafProbe: Probe = {
  onCompile: () => () => ({
    onRead: () => undefined,
    onStage: () => undefined,
    onValue: () => undefined,
    onFailure: () => undefined,
  }),
}

/** One evaluation. */
export interface Told extends Place {
  readonly stage: Stage
  /** A path and its value, or a function, its arguments and its value. */
  readonly steps: unknown[][]
  value?: unknown
  /** The failure as the log tells it. */
  error?: string
}

/** Keeps evaluations in the order in which they end. */
export function tellingProbe(): { readonly probe: Probe; readonly told: Told[] } {
  const told: Told[] = []
  const probe: Probe = {
    onCompile: (place) => (stage) => {
      const evaluation: Told = { ...place, stage, steps: [] }
      return {
        onRead: (path, value) => evaluation.steps.push([path, value]),
        onStage: (name, args, value) => evaluation.steps.push([name, args, value]),
        onValue(value) {
          evaluation.value = value
          told.push(evaluation)
        },
        onFailure(error) {
          if (error instanceof ExpressionError) evaluation.error = error.detail
          told.push(evaluation)
        },
      }
    },
  }
  return { probe, told }
}
