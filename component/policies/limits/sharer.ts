/** How a limit holds for one request: who shares it, what the request costs, and which amount there is. */
import type { Context } from '#component/expression/nodes.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { unfit } from '#component/gateway/failure.ts'
import type { Identity } from '#component/identity.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
import type { SharedPlan } from './plan.ts'

/** A request whose user is known; its body is not read. */
export interface SecuredRequest {
  readonly identity: Identity
  /** What expressions read of it. */
  readonly context: Context
}

/**
 * What holds for a user: the greatest of what fits the roles and the authid.
 * @param usual holds where nothing fits
 */
export function fitting<Amount>(
  by: ReadonlyMap<string, Amount> | undefined,
  usual: Amount,
  identity: Identity | undefined,
  sizeOf: (amount: Amount) => number,
): Amount {
  if (by === undefined || identity === undefined) return usual
  return greatestOf(by, [...identity.authroles, identity.authid], sizeOf) ?? usual
}

/** The greatest of what `by` has for the names; undefined: it has none of them. */
export function greatestOf<Amount>(
  by: ReadonlyMap<string, Amount> | undefined,
  names: readonly string[],
  sizeOf: (amount: Amount) => number,
): Amount | undefined {
  let found: Amount | undefined
  for (const name of names) {
    const other = by?.get(name)
    if (other === undefined) continue
    if (found === undefined || sizeOf(other) > sizeOf(found)) found = other
  }
  return found
}

/** Units. ExpressionError. */
export function costOf({ cost, at }: SharedPlan, request: SecuredRequest | undefined): number {
  if (typeof cost === 'number' || request === undefined) return typeof cost === 'number' ? cost : 1
  const value = cost.node.evaluate(request.context)
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 1000) {
    return value
  }
  throw unfit(cost.node, `${at}/cost`, 'an integer from 0 to 1000')
}

/** What names a limit among all: its rule or, where it is separate, its document and operation. */
export const ruleOf = (
  { rule, name, isSeparate }: SharedPlan,
  { at, path }: Pick<CompiledOperation, 'at' | 'path'>,
): string => (isSeparate ? `${path.version.api}\n${at}${name}` : rule)

/** A text that is equal for all requests that share the limit. ExpressionError. */
export function sharerOf(
  { per, at }: SharedPlan,
  { client }: Pick<Exchange, 'client'>,
  request: SecuredRequest | undefined,
): string {
  const address = () => `address ${networkOf(client)}`
  if (request === undefined || per === 'address') return address()
  const { identity, context } = request
  if (typeof per === 'object') {
    const value = per.node.evaluate(context)
    if (value === '' || value === null || typeof value === 'object') {
      throw unfit(per.node, `${at}/per`, 'a text that is not empty, a number or a boolean')
    }
    return `value ${String(value)}`
  }
  switch (per) {
    case 'all':
      return 'all'
    case 'role':
      return `role ${[...identity.authroles].sort().join(' ')}`
    case 'client':
      if (identity.client_id !== undefined) return `client ${identity.client_id}`
      break
    default:
  }
  return identity.username === undefined
    ? address()
    : `user ${identity.realm_uri} ${identity.username}`
}
