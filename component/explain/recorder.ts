/** Keeps what the expressions of one path read, compute and yield. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { ExpressionError, messageOf } from '#component/errors.ts'
import type { Evaluation, Place, Probe, Stage } from '#component/expression/probe/probe.ts'
import { methods } from '#component/request.ts'

/** A path that was read, or a function that was applied; `value` is absent where it was not looked at, or is missing. */
export type EvaluatedStep =
  | { readonly read: string; readonly value?: unknown }
  | { readonly function: string; readonly arguments: readonly unknown[]; readonly value?: unknown }

/** One evaluation of one expression. */
export interface Evaluated extends Place {
  /** 1: its value is known since the document was loaded. */
  readonly stage: Stage
  readonly steps: readonly EvaluatedStep[]
  /** Absent where it failed, or is missing. */
  readonly value?: unknown
  /** Why it failed: what was wrong, and the expression with carets. */
  readonly failure?: string
}

/** Evaluations in the order in which they ended. A variable is evaluated wherever it is used: a repetition is left out. */
export class Evaluations {
  readonly all: Evaluated[] = []
  /** By place. */
  readonly #last = new Map<string, Evaluated>()

  add(evaluated: Evaluated): void {
    const { at, column, failure, value } = evaluated
    const place = `${column} ${at}`
    const last = this.#last.get(place)
    if (last && last.failure === failure && Object.is(last.value, value)) return
    this.#last.set(place, evaluated)
    this.all.push(evaluated)
  }
}

/** The probe of one path. Evaluations outside {@link during} are kept only of stage 1. */
export class Recorder implements Probe {
  /** In the order in which they were folded. */
  readonly constants = new Evaluations()
  readonly #running = new AsyncLocalStorage<Evaluations>()
  /** Failures that the innermost expression has told already. */
  readonly #told = new WeakSet<object>()

  /**
   * The constants that other methods of the path do not have to themselves.
   * @param path JSON Pointer of the path
   * @param at of the operation; undefined: no method
   */
  constantsFor(path: string, at: string | undefined): Evaluated[] {
    const others = methods.map((method) => `${path}/${method}`).filter((other) => other !== at)
    return this.constants.all.filter(
      ({ at }) => !others.some((other) => at === other || at.startsWith(`${other}/`)),
    )
  }

  /** Runs a task; its evaluations are added to those given. */
  during<T>(evaluations: Evaluations, task: () => T): T {
    return this.#running.run(evaluations, task)
  }

  onCompile(place: Place): (stage: Stage) => Evaluation {
    return (stage) => {
      const kept = stage === 1 ? this.constants : this.#running.getStore()
      const steps: EvaluatedStep[] = []
      const valued = (value: unknown) => (value === undefined ? {} : { value })
      return {
        onRead: (read, value) => steps.push({ read, ...valued(value) }),
        onStage: (name, args, value) =>
          steps.push({ function: name, arguments: args, ...valued(value) }),
        onValue: (value) => {
          kept?.add({ ...place, stage, steps, ...valued(value) })
        },
        onFailure: (error) => {
          if (!kept || !(error instanceof Error) || this.#told.has(error)) return
          this.#told.add(error)
          const failure = error instanceof ExpressionError ? error.detail : messageOf(error)
          kept.add({ ...place, stage, steps, failure })
        },
      }
    }
  }
}
