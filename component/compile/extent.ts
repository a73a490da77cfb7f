/** Checks where a document tells that a body stands in the whole: `first` and `length` of `on_result`. */
import type { Issue } from '#component/errors.ts'
import type { ExtentPlan, PolicyPlans } from '#component/gateway/api.ts'
import { inForce, policyKinds } from '#component/policies/kinds.ts'

/** What decides whether an answer can be a part. */
interface PartialAnswer {
  readonly extent: ExtentPlan | undefined
  readonly policies: PolicyPlans | undefined
  /** Whether the answer is the raw pieces of a call. */
  readonly isRaw: boolean
  /** Whether its pieces are told as events. */
  readonly isFramed: boolean
  /** Whether the body of an upstream is passed on. */
  readonly isPassedOn: boolean
}

/** The key of the policy that cuts answers. */
const cutting = policyKinds.find(({ cutsAnswers }) => cutsAnswers)?.key

/** Reports keys that no answer would follow. */
export function checkExtent(answer: PartialAnswer, issues: Issue[]): void {
  const { extent, policies, isRaw, isFramed, isPassedOn } = answer
  const hasParts = inForce(policies).some(([kind]) => kind.cutsAnswers)
  for (const key of ['first', 'length'] as const) {
    const computed = extent?.[key]
    if (computed === undefined) continue
    const refuse = (message: string) => issues.push({ path: computed.path, message })
    if (isPassedOn) refuse(`${key} needs a body: what is passed on has the length that it has`)
    else if (isFramed) refuse(`${key} needs a content-type whose pieces are sent as they are`)
    else if (!hasParts && (key === 'first' || !isRaw)) refuse(`${key} needs "${cutting}": true`)
  }
}
