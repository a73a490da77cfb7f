/** Who calls a procedure: what the router discloses, and who is believed when it names another. */
import { hopsOf, mostHops } from '#component/action/hops.ts'
import { ServiceError } from '#component/errors.ts'
import type { Caller, CallerPorts, Invocation } from '#component/gateway/invocation.ts'
import type { ProcedurePlan } from '#component/gateway/procedure-plan.ts'
import { stage } from '#component/gateway/stage.ts'
import type { RequestState } from '#component/gateway/state.ts'
import { anonymous, type Identity, identityOf } from '#component/identity.ts'
import { isMap } from '#component/syntax/values.ts'

const refuse = (message: string) => new ServiceError('wamp.error.not_authorized', message)

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/**
 * The entry of the caller in `forward_for`: clients of Crossbar.io's static roles set the option themselves, and the router adds the
 * session that did as the last entry. A gateway alone is believed.
 */
function forwardedCaller(details: Invocation['details'], { gatewayRole }: CallerPorts): unknown {
  const entries = details.forward_for
  const first: unknown = Array.isArray(entries) && entries.length > 1 ? entries[0] : undefined
  if (isFromGateway(details, gatewayRole) && isMap(first)) return first
  throw refuse('forward_for: a call may not name another caller')
}

/** Whether a gateway has sent a call for a user: it is the last that is named. */
export function isFromGateway(
  { forward_for }: Invocation['details'],
  gatewayRole: string,
): boolean {
  const last: unknown = Array.isArray(forward_for) ? forward_for.at(-1) : undefined
  return isMap(last) && last.authrole === gatewayRole
}

const listed = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined

/** @throws ServiceError `wamp.error.not_authorized` */
function callerOf(details: Invocation['details'], realm_uri: string, ports: CallerPorts): Caller {
  const { forward_for } = details
  const forwarded = forward_for === undefined ? undefined : forwardedCaller(details, ports)
  const told = isMap(forwarded)
    ? forwarded
    : {
        session: details.caller,
        authid: details.caller_authid,
        authrole: details.caller_authrole,
        authroles: ports.tellsAllRoles ? details._caller_authroles : undefined,
      }
  const authid = textOf(told.authid)
  if (authid === undefined) return {}
  const authrole = textOf(told.authrole)
  const ofRealm = ports.rolesOf(realm_uri, authid)
  const isOurs = authrole !== undefined && ofRealm?.includes(authrole)
  const authroles =
    listed(told.authroles) ?? (isOurs ? ofRealm : undefined) ?? (authrole ? [authrole] : [])
  return {
    ...(told.session !== undefined && { session: told.session }),
    ...{ authid, ...(authrole !== undefined && { authrole }), authroles },
  }
}

const anonymousRole = 'anonymous'

/** The caller as the user of a request. */
function identityOfCaller(
  { authid, authroles = [], session }: Caller,
  realm_uri: string,
): Identity {
  if (authid === undefined) return anonymous(realm_uri)
  const more = session === undefined ? {} : { session: String(session) }
  // a session without a login has no name that others could be given
  if (authroles.every((role) => role === anonymousRole)) {
    return { ...anonymous(realm_uri), authid, ...more }
  }
  const user = { username: authid, groups: authroles, meta: {} }
  return identityOf({ realm_uri, user, authroles, authmethod: 'wamp', ...more })
}

function checkCallers({ callers }: ProcedurePlan, { authid, authroles = [] }: Caller): void {
  if (callers === undefined) return
  if (authid === undefined) {
    throw refuse('the router does not disclose the caller: the procedure is for known callers only')
  }
  const { roles, authids } = callers
  const isAny = roles.size === 0 && authids.size === 0
  if (isAny || authids.has(authid) || authroles.some((role) => roles.has(role))) return
  throw refuse('the caller may not call this procedure')
}

declare module '#component/gateway/stage-facts.ts' {
  interface StageFacts {
    caller: { readonly caller: Caller }
  }
}

/** A call has one, and its route has a plan. */
export const planOf = ({ route }: RequestState) => route.procedure as ProcedurePlan
export const invocationOf = ({ exchange }: RequestState) => exchange.invocation as Invocation

/** Tells who calls. `wamp.error.not_authorized`, `service.error.loop_detected` */
export const caller = stage('caller', {
  enter(state) {
    const { parts, route } = state
    const { realm_uri } = route.path.version
    const invocation = invocationOf(state)
    const hops = hopsOf(invocation.details)
    if (hops > mostHops) {
      const message = `the call has gone through ${hops} procedures of documents`
      throw new ServiceError('service.error.loop_detected', message)
    }
    const found = callerOf(invocation.details, realm_uri, parts.callers)
    invocation.caller = found
    checkCallers(planOf(state), found)
    const identity = identityOfCaller(found, realm_uri)
    state.identity = identity
    state.security = identity
    state.exchange.trace?.tellUser?.(identity.authid)
    const { on_progress } = planOf(state)
    state.wantsPieces = on_progress !== undefined && invocation.details.receive_progress === true
    return undefined
  },
  facts: (state) => ({ caller: invocationOf(state).caller }),
})
