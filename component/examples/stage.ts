/** The gateway as examples see it: it answers one request, and performs nothing. */

import { kindOf } from '#component/action/kinds.ts'
import type { ServiceError } from '#component/errors.ts'
import type { DescribedCall, GivenOutcome } from '#component/explain/asked.ts'
import {
  type Circumstances,
  type Rehearsal,
  type RehearsalPorts,
  type Rehearsed,
  type RehearsedCall,
  Rehearser,
} from '#component/explain/rehearsal.ts'
import { nobody, schemesOf } from '#component/explain/stand-ins.ts'
import type { Api, Route } from '#component/gateway/api.ts'
import type { Identity } from '#component/identity.ts'
import type { Method } from '#component/request.ts'
import { type RouteEntry, RoutingTable } from '#component/routes/routing-table.ts'
import type { Protection, Schemes } from '#component/security/scheme.ts'
import { isMap, memberOf } from '#component/syntax/values.ts'
import type { FoundCall } from './call-expectations.ts'
import type { Found } from './expectations.ts'
import type { ExampleRequest } from './request.ts'

/** A request, who asks, and what its action comes to. */
export interface Asked {
  readonly request: ExampleRequest & { readonly method: Method }
  /** A user, or "anonymous"; null: no credentials; undefined: the user `example`. */
  readonly as: unknown
  /** `{result}`, `{error}`, or a list of these for a list of actions; undefined: a result. */
  readonly outcome: unknown
  /** The seed of `random`. */
  readonly seed: string
}

/** A call, and what its action comes to. */
export interface AskedCall extends Pick<Asked, 'outcome' | 'seed'> {
  readonly call: DescribedCall
}

/** What the gateway answered, and why. */
interface Answered extends Found {
  /** JSON Pointer of the operation that served the request; undefined when none did. */
  readonly servedBy: string | undefined
  /** Why no operation served it; undefined when nothing matched. */
  readonly refusal: unknown
  /** Why the request was not answered as declared. */
  readonly error: ServiceError | undefined
}

/** Answers one request. */
export type Stage = (asked: Asked) => Promise<Answered>

/** Answers one call of the procedure of an entry. */
export type CallStage = (entry: RouteEntry<Route>, asked: AskedCall) => Promise<FoundCall>

/** A request of an example always has this id. */
const requestId = '01890000-0000-7000-8000-000000000000'

/** The time of all examples, 2026-01-01; milliseconds since the epoch. */
const now = 1_767_225_600_000

/** Lets the user pass that the example names. */
function schemesFor(as: unknown): Schemes {
  if (as === null || as === 'anonymous') return nobody
  const { realm_uri, authmethod, claims, ...who } = isMap(as) ? as : {}
  const { webhook_id, webhook_timestamp, via } = isMap(as) ? as : {}
  const identify = (protection: Protection): Identity => {
    const [authid = 'example'] = protection.demand?.authids ?? []
    const [role] = protection.demand?.roles ?? []
    // whom the example does not describe further may ask
    const name = String(who.authid ?? authid)
    const authroles = (who.authroles ?? (role === undefined ? [] : [role])) as readonly string[]
    return {
      realm_uri: typeof realm_uri === 'string' ? realm_uri : protection.realm_uri,
      ...{ authid: name, username: name },
      authmethod: typeof authmethod === 'string' ? authmethod : protection.kind.exampleMethod,
      ...{ authroles, groups: authroles, meta: {} },
      ...(isMap(claims) && { claims }),
      ...(typeof webhook_id === 'string' && { webhook_id }),
      ...(typeof webhook_timestamp === 'number' && { webhook_timestamp }),
    }
  }
  return schemesOf(identify, typeof via === 'string' ? via : undefined)
}

const circumstancesOf = ({ outcome, seed }: Pick<Asked, 'outcome' | 'seed'>): Circumstances => ({
  ...{ id: requestId, now, seed },
  // its shape was judged with the document
  outcome: outcome as GivenOutcome | readonly GivenOutcome[] | undefined,
})

/** What a rehearsal is asked for one example. */
export const rehearsedOf = ({ request, as, ...asked }: Asked): Rehearsed => ({
  ...{ request, schemes: schemesFor(as) },
  ...circumstancesOf(asked),
})

/** What a rehearsal is asked for one example of a procedure. */
export const rehearsedCallOf = ({ call, ...asked }: AskedCall): RehearsedCall => ({
  call,
  ...circumstancesOf(asked),
})

/** The stages of one document: its routes and procedures alone. */
export function stagesOf(
  { entries }: Api,
  ports: RehearsalPorts,
): { readonly stage: Stage; readonly call: CallStage } {
  const rehearser = new Rehearser(RoutingTable.build(entries).table, ports)
  const call: CallStage = async (entry, asked) => {
    const { yielded, actions } = await rehearser.call(entry, rehearsedCallOf(asked))
    return { ...yielded, actions }
  }
  const stage: Stage = async (asked) => {
    const rehearsal = await rehearser.run(rehearsedOf(asked))
    const { reply, sent, operation, actions } = rehearsal
    const { status = 404, headers = {}, body = '' } = sent ?? {}
    return {
      ...{ status, headers, body, actions, frames: sent?.frames, isCut: sent?.isCut },
      errorCode: errorCodeOf(rehearsal, asked.outcome),
      servedBy: operation?.at,
      refusal: memberOf(body, 'message'),
      error: reply?.error,
    }
  }
  return { stage, call }
}

/** The error of the gateway, else that of the action, else what the body names. */
function errorCodeOf({ reply, actions, sent }: Rehearsal, outcome: unknown): string | undefined {
  if (reply?.error) return reply.error.uri
  if (reply?.body.kind === 'events' && reply.body.record.error) return reply.body.record.error
  const ran = actions.at(-1)
  const given = Array.isArray(outcome) ? (outcome[actions.length - 1] ?? outcome.at(-1)) : outcome
  const ofAction = memberOf(memberOf(given, 'error'), 'error_uri')
  if (ran && kindOf(ran.type)?.reaches && typeof ofAction === 'string') return ofAction
  const body = sent && sent.status >= 400 ? sent.body : undefined
  const named = reply?.failure?.error ?? memberOf(body, 'error_uri') ?? memberOf(body, 'code')
  return typeof named === 'string' ? named : undefined
}
