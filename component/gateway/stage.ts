/** What a stage of a request is, and how others listen to it. The table of all stages is `stages.ts`. */
import type { ActionFields, Outcome } from '#component/action/action.ts'
import type { Sent } from '#component/action/sent.ts'
import type { PartListener } from '#component/gateway/schemas/mismatches.ts'
import type { Method } from '#component/request.ts'
import type { ActionPlan, CompiledOperation, EndpointKind, PolicyPlans } from './api.ts'
import type { Reply } from './exchange.ts'
import type { PolicyCheck, StageFacts } from './stage-facts.ts'
import type { RequestState } from './state.ts'

/** What the actions of a route are performed under: each of them goes through it. */
type Around = (
  state: RequestState,
  plan: ActionPlan,
  fields: ActionFields,
  perform: () => Promise<Outcome>,
) => Promise<Outcome>

type Awaitable<T> = T | Promise<T>

/** One thing that a request meets. A route has only the stages that it needs, so no stage asks whether it holds. */
export interface Stage<Name extends keyof StageFacts = keyof StageFacts> {
  readonly name: Name
  /**
   * @returns an answer in place of the later stages; undefined: the request goes on
   * @throws ServiceError, which is rendered as the answer; anything else is a bug
   */
  readonly enter: (state: RequestState) => Awaitable<Reply | undefined>
  /**
   * Changes the answer, an error too, once this stage was entered: the last stage that was entered begins.
   * @throws ServiceError, which takes the place of the answer; this stage is given it, too
   */
  readonly leave: ((state: RequestState, reply: Reply) => Awaitable<Reply>) | undefined
  readonly around: Around | undefined
  /** Ends what a request holds that has ended by a bug. */
  readonly abandon: ((state: RequestState) => void) | undefined
  /** What it has done with a request that it was entered with. Called for listeners only. */
  readonly facts: (state: RequestState) => StageFacts[Name]
}

/** What decides which stages an operation needs. */
export interface Needs
  extends Pick<
    CompiledOperation,
    | 'path'
    | 'inherited'
    | 'checks'
    | 'negotiated'
    | 'readsBody'
    | 'keepsBody'
    | 'streams'
    | 'passesToken'
    | 'action'
    | 'steps'
    | 'websocket'
  > {
  readonly method: Method
  /** Whether it is the call of a tool. */
  readonly isTool: boolean
}

/** Where the stages of policies stand among the others; those of one place stand in the order of the policies (`component/policies/index.ts`). */
export type Place = 'before security' | 'after security' | 'before body' | 'before action'

/** A stage of a policy. */
export interface PolicyStage {
  readonly stage: Stage
  readonly place: Place
  /** Whether calls of procedures have it, too. */
  readonly isOfInvocations?: true
  /** Whether operations without a policy may have it, too. */
  readonly isForAll?: true
  /** Whether an operation has it; one for OPTIONS has none. */
  isNeeded(plans: PolicyPlans, operation: Needs): boolean
  /** Whether a generated endpoint has it; absent: none has. */
  isOfEndpoint?(plans: PolicyPlans, kind: EndpointKind): boolean
}

const pass = (): undefined => undefined

/** All stages have one shape: the loop over them is monomorphic. */
export const stage = <Name extends keyof StageFacts>(
  name: Name,
  {
    enter = pass,
    leave,
    around,
    abandon,
    facts,
  }: Partial<Stage<Name>> & Pick<Stage<Name>, 'facts'>,
): Stage<Name> => ({ name, enter, leave, around, abandon, facts })

/** Listens to the stages of one request. It is never asked, and changes nothing. */
export interface StageListener extends PartListener {
  enter(name: keyof StageFacts): void
  /**
   * The stage was passed, has answered or has refused the request. On the way out nothing is heard but {@link finds}.
   * @param error why it refuses the request
   */
  leave<Name extends keyof StageFacts>(name: Name, facts: StageFacts[Name], error?: unknown): void
  /** One action of the route begins: several in a list, none where the request is answered before. */
  actionBegins(action: BegunAction): void
  /** It sends something: once for each attempt, and once for the snapshot of a subscription. */
  actionSends(sent: Sent, action: BegunAction): void
  /** It has ended. @param outcome undefined: it was refused by the error */
  actionEnds(action: BegunAction, outcome: Outcome | undefined, error?: unknown): void
  /** What a stage has found of the answer on its way out. */
  finds(finding: PolicyCheck): void
  /** The request is answered. */
  answered(reply: Reply): void
}

/** An action with its fields as evaluated for the request. */
export interface BegunAction {
  readonly plan: ActionPlan
  readonly fields: ActionFields
  /** Of an action that another one performs: its name there, or the position of its item. */
  readonly branch: string | undefined
}
