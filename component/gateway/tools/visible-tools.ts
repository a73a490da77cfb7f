/** Which tools a request may see: those whose security lets it pass, judged as a call is. */
import { ServiceError } from '#component/errors.ts'
import type { CompiledTool, ToolGroup, ToolSet } from '#component/gateway/api.ts'
import { isAdmitted } from '#component/gateway/checks.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { refusalIn } from '#component/login-refusal.ts'
import { admit } from '#component/security/admission.ts'
import type { Protection, Schemes } from '#component/security/scheme.ts'
import { noData } from '#component/tool/call-data.ts'
import { ToolExchange } from './tool-exchange.ts'

type Bindings = Readonly<Record<string, string>>

/** Why a request may not pass. */
export interface Refusal {
  readonly error: ServiceError
  readonly protection: Protection
}

/** How a request was judged. */
export interface Judgement {
  /** In the order of the document. */
  readonly visible: readonly CompiledTool[]
  /** The refusal of a client that no security knows, where possible one of credentials that it has brought; undefined: one security knows it. */
  readonly refusal: Refusal | undefined
  /** Whether it has brought credentials that do not hold. */
  readonly hasCredentials: boolean
}

/** Whether an error tells that security does not let a request pass; others tell nothing of it, such as that too many wait. */
export const isRefusal = (error: ServiceError): boolean =>
  error.uri === 'service.error.unauthorized' || refusalIn(error) !== undefined

/** Whether a tool is served to the network and by the scheme of a request. */
export const isWithinReach = (tool: CompiledTool, exchange: Exchange): boolean =>
  isAdmitted(exchange, tool.operation.inherited)

/**
 * Judges a request once for each protection.
 * @param known the refusal of one protection, which is not asked again
 * @throws ServiceError where a protection cannot judge now, or tries are limited
 */
export async function judge(
  { groups, tools }: ToolSet,
  exchange: Exchange,
  bindings: Bindings,
  schemes: Schemes,
  known?: Refusal,
): Promise<Judgement> {
  const asked = groups.filter((group) => group.tools.some((tool) => isWithinReach(tool, exchange)))
  const verdicts = await Promise.all(
    asked.map((group) =>
      known && group.protection === known.protection
        ? known
        : verdictOf(group, exchange, bindings, schemes),
    ),
  )
  const passed = new Set(
    asked.filter((_, index) => verdicts[index] === 'passes').flatMap((group) => group.tools),
  )
  const refusals = verdicts.filter((verdict) => typeof verdict === 'object')
  const isSomebody = asked.some(
    ({ protection }, index) => protection && verdicts[index] === 'passes',
  )
  const ofCredentials = refusals.filter(({ error }) => refusalIn(error) !== undefined)
  // credentials that hold, and do not suffice, are no credentials of the other kinds
  const brought =
    ofCredentials.find(({ error }) => error.uri === 'wamp.error.not_authorized') ?? ofCredentials[0]
  return {
    visible: tools.filter((tool) => passed.has(tool) && isWithinReach(tool, exchange)),
    refusal: isSomebody ? undefined : (brought ?? refusals[0]),
    hasCredentials: brought !== undefined,
  }
}

async function verdictOf(
  { protection, tools }: ToolGroup,
  exchange: Exchange,
  bindings: Bindings,
  schemes: Schemes,
): Promise<'passes' | Refusal> {
  const [tool] = tools
  if (protection === undefined || tool === undefined) return 'passes'
  const { secured } = new ToolExchange(exchange, tool, { bindings, data: noData })
  try {
    await admit(schemes, secured, protection)
    return 'passes'
  } catch (error) {
    const isVerdict = error instanceof ServiceError && isRefusal(error)
    if (!isVerdict || error.uri === 'service.error.too_many_requests') throw error
    return { error, protection }
  }
}
