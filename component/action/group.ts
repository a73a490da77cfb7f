/** What the actions that perform others share: their keys, and how their branches run at once. */
import type { Clock } from '#component/clock.ts'
import { canceled, ServiceError } from '#component/errors.ts'
import { described, integer } from '#component/spec/rules.ts'
import type { ActionError, ActionFields, Branch, Outcome, Run } from './action.ts'
import { drop } from './action.ts'
import { ownFailure } from './wamp-fields.ts'

/** Of both, beside their actions. */
export const groupKeys = {
  max_duration: described(
    integer(1, 3_600_000, ' of milliseconds'),
    'How long all actions together may take; milliseconds.',
    { default: 60_000 },
  ),
}

export const groupFields = { max_duration: 'known' } as const

/** The actions of branches that run in this process. */
export class RunningBranches {
  readonly #most: number
  #count = 0

  /** @param most at once */
  constructor(most: number) {
    this.#most = most
  }

  get count(): number {
    return this.#count
  }

  /** @returns gives them back @throws ServiceError 503 where there are not as many */
  take(count: number): () => void {
    if (this.#count + count > this.#most) {
      throw new ServiceError(
        'service.error.unavailable',
        'too many actions run in parallel (limits.parallel_actions)',
        { headers: { 'retry-after': '1' } },
      )
    }
    this.#count += count
    return () => {
      this.#count -= count
    }
  }
}

/** What groups of actions use. */
export interface GroupPorts {
  readonly clock: Clock
  /** Absent: one branch runs after the other, as in explanations. */
  readonly running?: RunningBranches | undefined
}

/** How the branches of one request run. */
interface Bounds {
  readonly atOnce: number
  readonly fields: ActionFields
  readonly run: Pick<Run, 'onCancel'>
}

/** How they have ended. */
export interface Ended {
  /** By the index of the branch; undefined: it has failed, or never began. */
  readonly results: readonly unknown[]
  /** Of optional branches, by their keys. */
  readonly errors: Readonly<Record<string, ActionError>>
  /** Why all of them failed. */
  readonly failed: Outcome | undefined
  readonly isOfUser: true | undefined
}

const late = () =>
  ownFailure(
    new ServiceError('service.error.timeout', 'the actions took longer than their max_duration'),
  )

/** What is known of all branches of a failure: one may have been performed, or was. */
function effectOf(outcomes: readonly Outcome[]): Outcome['effect'] {
  const effects = outcomes.map((outcome) => ('result' in outcome ? undefined : outcome.effect))
  if (effects.includes('unknown')) return 'unknown'
  return effects.includes(undefined) ? undefined : 'none'
}

/**
 * Runs branches, some at once, in their order. The first failure of one that is not optional cancels the others, and is the failure of all.
 * @throws what a branch throws, once the others have ended
 */
export async function runBranches(
  { clock, running }: GroupPorts,
  branches: readonly Branch[],
  { atOnce, fields, run }: Bounds,
): Promise<Ended> {
  const most = running ? Math.min(atOnce, branches.length) : 1
  const release = running?.take(most)
  const results: unknown[] = []
  const errors: Record<string, ActionError> = {}
  const outcomes: Outcome[] = []
  const begun = new Set<Branch>()
  let failed: Outcome | undefined
  let thrown: { readonly error: unknown } | undefined
  let isOfUser: true | undefined
  let next = 0

  const stop = (reason?: ServiceError): void => {
    next = branches.length
    for (const branch of begun) branch.cancel(reason)
  }
  const fail = (outcome: Outcome): void => {
    if (failed || thrown) return
    failed = outcome
    stop(canceled())
  }
  const end = (branch: Branch, index: number, outcome: Outcome): void => {
    // the rest of an upstream's answer belongs to no client
    drop(outcome)
    outcomes.push(outcome)
    isOfUser ??= outcome.isOfUser
    if ('result' in outcome) results[index] = outcome.result
    else if (branch.isOptional) errors[branch.key] = outcome.error
    else fail({ ...outcome, branch: branch.key })
  }
  const work = async (): Promise<void> => {
    while (next < branches.length) {
      const index = next++
      const branch = branches[index] as Branch
      begun.add(branch)
      try {
        end(branch, index, await branch.perform())
      } catch (error) {
        if (branch.isOptional && error instanceof ServiceError) {
          end(branch, index, ownFailure(error))
        } else if (!thrown) {
          thrown = { error }
          stop(canceled())
        }
      } finally {
        begun.delete(branch)
      }
    }
  }
  const stopTimer = clock.after(Number(fields.max_duration ?? 60_000), () => fail(late()))
  run.onCancel((reason) => {
    if (!failed && !thrown) failed = ownFailure(reason ?? canceled())
    stop(reason)
  })
  try {
    await Promise.all(Array.from({ length: most }, work))
  } finally {
    stopTimer()
    release?.()
  }
  if (thrown) throw thrown.error
  if (failed === undefined) return { results, errors, failed, isOfUser }
  const { effect: _own, answer: _answer, ...rest } = failed as Outcome & { error: ActionError }
  const effect = effectOf(outcomes.length > 0 ? outcomes : [failed])
  return { results, errors, failed: { ...rest, ...(effect && { effect }) }, isOfUser }
}
