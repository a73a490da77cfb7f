/** Performs the actions of a list in order; the first failure ends it. */
import { type Attempts, drop, type Outcome, type Run } from '#component/action/action.ts'
import { ownFailure } from '#component/action/wamp-fields.ts'
import { canceled, ExpressionError } from '#component/errors.ts'
import type { ActionPlan } from './api.ts'
import { failureOf } from './failure.ts'

/** An action whose expressions have been evaluated. */
export interface PreparedAction {
  readonly attempts: Attempts
  /** Takes a callback for when the client goes away. */
  readonly onCancel: Run['onCancel']
  perform(): Promise<Outcome>
}

/** `action` of the API Context for an action of the list: the results so far, and the last of them. */
export interface Progress {
  readonly result?: unknown
  readonly results: readonly unknown[]
  /** Of the last one that performs others. */
  readonly errors?: Outcome['errors']
}

/** An expression of an action of a list has failed. */
export class ListFailure extends Error {
  readonly failure: ExpressionError
  readonly plan: ActionPlan
  /** Of the actions before it. */
  readonly results: readonly unknown[]

  constructor(failure: ExpressionError, plan: ActionPlan, results: readonly unknown[]) {
    super(failure.message, { cause: failure })
    this.failure = failure
    this.plan = plan
    this.results = results
  }
}

/**
 * The list as one action, its first action prepared. When the client goes away, no further action begins.
 * @param plans at least one
 * @param prepare evaluates the expressions of an action
 * @throws ListFailure, as does its `perform`
 */
export function prepareList(
  plans: readonly ActionPlan[],
  prepare: (plan: ActionPlan, progress: Progress) => PreparedAction,
): PreparedAction {
  let progress: Progress = { results: [] }
  const asFailure = (error: unknown, plan: ActionPlan): unknown =>
    error instanceof ExpressionError
      ? new ListFailure(failureOf(error, plan), plan, progress.results)
      : error

  const begin = (plan: ActionPlan): PreparedAction => {
    try {
      return prepare(plan, progress)
    } catch (error) {
      throw asFailure(error, plan)
    }
  }
  const end = async (plan: ActionPlan, action: PreparedAction): Promise<Outcome> => {
    try {
      return await action.perform()
    } catch (error) {
      throw asFailure(error, plan)
    }
  }

  const [first, ...others] = plans as readonly [ActionPlan, ...ActionPlan[]]
  const opening = begin(first)
  const { attempts, onCancel } = opening

  const perform = async (): Promise<Outcome> => {
    let isGone = false
    onCancel(() => {
      isGone = true
    })
    let outcome = await end(first, opening)
    let isOfUser = outcome.isOfUser
    for (const plan of others) {
      if ('error' in outcome) break
      const errors = outcome.errors ?? progress.errors
      progress = {
        result: outcome.result,
        results: [...progress.results, outcome.result],
        ...(errors && { errors }),
      }
      // nobody reads the rest of this answer
      drop(outcome)
      outcome = isGone ? ownFailure(canceled()) : await end(plan, begin(plan))
      isOfUser ??= outcome.isOfUser
    }
    const { results, errors } = progress
    const ofUser = isOfUser && { isOfUser }
    const known = errors && { errors }
    if ('error' in outcome) return { ...known, ...outcome, ...ofUser, results }
    return { ...known, ...outcome, ...ofUser, results: [...results, outcome.result] }
  }
  return { attempts, onCancel, perform }
}
