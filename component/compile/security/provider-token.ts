/** Where expressions may read the access token of the identity provider: in what a forward or a call sends, and nowhere else. */
import type { Issue } from '#component/errors.ts'
import { siteOfRead } from '#component/expression/read-sites.ts'
import { type Site, SiteError } from '#component/expression/site.ts'
import type { ActionPlan, InheritedValues } from '#component/gateway/api.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import { inForce } from '#component/policies/kinds.ts'
import type { Protection } from '#component/security/scheme.ts'

/** How expressions name the token. */
const tokenPath = 'security.provider_token'

/** A part of an operation. */
interface TokenPart {
  /** JSON Pointer. */
  readonly at: string
  readonly nodes: readonly Live[]
  /** JSON Pointers of other parts that lie in it. */
  readonly others?: readonly string[]
}

/** An operation, as far as its expressions may read the token. */
export interface TokenReader {
  readonly actions: readonly {
    readonly plan: Pick<ActionPlan, 'kind' | 'computed'>
    /** The JSON Pointer at which a key of the action is written. */
    readonly pathOf: (...keys: readonly string[]) => string
  }[]
  /** Everything else that is evaluated for a request. */
  readonly others: readonly TokenPart[]
  readonly inherited: InheritedValues
}

const readsToken = ({ reads }: Live): readonly string[] =>
  reads.filter((read) => read === tokenPath || read.startsWith(`${tokenPath}.`))

/**
 * Whether an operation reads the token where it may.
 * @param issues gets one for each place where it may not
 */
export function checkTokenReads(
  { actions, others, inherited }: TokenReader,
  issues: Issue[],
): boolean {
  const allowed: TokenPart[] = []
  const refused: TokenPart[] = [...others]
  for (const { plan, pathOf } of actions) {
    for (const [name, node] of plan.computed) {
      const part = { at: pathOf(name), nodes: [node] }
      if (plan.kind.tokenFields.includes(name)) allowed.push(part)
      else refused.push(part)
    }
  }
  const message = `"${tokenPath}" can be read in headers of a forward, and in args and kwargs of a wamp_call, only`
  for (const part of refused) report(part, message, issues)
  const isRead = allowed.some(({ nodes }) => nodes.some((node) => readsToken(node).length > 0))
  if (!isRead) return false
  const { protection, policies } = inherited
  if (!protection?.kind.givesToken) {
    const needed = `"${tokenPath}" is there on paths with security of the type oidc only`
    for (const part of allowed) report(part, needed, issues)
  } else if (!isAlwaysThere(protection)) {
    const needed = `"${tokenPath}" is there only where the user of the alternative has logged in at a provider: give it a default`
    for (const part of allowed) report(part, needed, issues, hasDefault)
  }
  for (const [kind, policy] of inForce(policies)) {
    const path = kind.sharedAt(policy)
    if (path === undefined) continue
    issues.push({
      path,
      message: `all users would be given the response to one of them, which the action asks for by the token of that user ("${tokenPath}"): expected user`,
    })
  }
  return true
}

/** Whether each alternative gives the token. */
const isAlwaysThere = ({ kind, alternatives }: Protection): boolean =>
  alternatives === undefined
    ? kind.givesToken === true
    : !alternatives.isOptional &&
      alternatives.all.every(({ members: [user] }) => user.kind.givesToken)

/** Whether each read of a template stands before a default. */
const hasDefault = ({ text }: Site): boolean =>
  text
    .split(tokenPath)
    .slice(1)
    .every((rest) => /^\s*\|>\s*default\(/.test(rest))

/** @param isFine what need not be reported */
function report(
  { at, nodes, others }: TokenPart,
  message: string,
  issues: Issue[],
  isFine: (site: Site) => boolean = () => false,
): void {
  for (const read of new Set(nodes.flatMap(readsToken))) {
    const site = siteOfRead(issues, read, at, others)
    if (site && isFine(site)) continue
    const told = site ? new SiteError(site, message).issueMessage : message
    issues.push({ path: site?.path ?? at, message: told })
  }
}
