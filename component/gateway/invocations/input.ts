/** Checks the arguments of a call against the schemas of its procedure. */
import { type Issue, ServiceError } from '#component/errors.ts'
import type { InputPlan } from '#component/gateway/procedure-plan.ts'
import type { MismatchMode } from '#component/gateway/schemas/mismatches.ts'
import { stage } from '#component/gateway/stage.ts'
import type { RequestState } from '#component/gateway/state.ts'
import { type Mistake, told } from '#component/schema/mistakes.ts'
import type { Found } from '#component/schema/validators.ts'
import { invocationOf, planOf } from './caller.ts'

/** The arguments do not fit. */
export class InputMismatch extends ServiceError {
  readonly errors: readonly Issue[]

  constructor(mistakes: readonly Mistake[]) {
    const [first] = mistakes
    const count =
      mistakes.length === 1 ? '1 mistake, at' : `${mistakes.length} mistakes, the first at`
    super('wamp.error.invalid_argument', `${count} ${first?.path}: ${first?.message}`)
    this.errors = told(mistakes)
  }
}

declare module '#component/gateway/stage-facts.ts' {
  interface StageFacts {
    input: { readonly mode: MismatchMode }
  }
}

/** `wamp.error.invalid_argument` with all mistakes; none of them shows a value. */
export const input = stage('input', {
  enter(state) {
    const { mode, parts } = planOf(state).input as InputPlan
    const invocation = invocationOf(state)
    const found = parts.map(([part, check]) => check.mistakesOf(invocation[part], `/${part}`, mode))
    return found.some((each) => each instanceof Promise)
      ? Promise.all(found).then((each) => judged(state, each))
      : judged(state, found as readonly Found[])
  },
  facts: (state) => ({ mode: (planOf(state).input as InputPlan).mode }),
})

/** @param found of each part */
function judged(state: RequestState, found: readonly Found[]): undefined {
  const { exchange, route } = state
  const { mode, parts, sink } = planOf(state).input as InputPlan
  const invocation = invocationOf(state)
  const all: Mistake[] = []
  for (const [index, [part, check]] of parts.entries()) {
    const value = invocation[part]
    const mistakes = found[index]
    exchange.listener?.judged({ part, mode, value, received: value, mistakes })
    if (mistakes === undefined) continue
    sink.note(exchange, route, part, mode, mistakes, check)
    all.push(...mistakes)
  }
  if (mode !== 'log' && all.length > 0) throw new InputMismatch(all)
}
