/** By what the kept answers of a route are told apart, and what they are purged by. */
import { itemName } from '#component/expression/items.ts'
import {
  type CompiledOperation,
  kindsOf,
  plansOf,
  type ResponsePlan,
} from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import { type Identity, webhookKeys } from '#component/identity.ts'
import type { CachePlan } from './plan.ts'

/** An item comes from a list, which is read as well. */
const isOfRequest = (read: string): boolean => !read.startsWith(itemName)

/** Paths into request-time data, such as `request.headers.accept`. */
function readsOf(route: CompiledOperation): readonly string[] {
  const { on_result, on_error, path } = route
  const nodes = [
    ...plansOf(route).flatMap(({ computed }) => computed.map(([, node]) => node)),
    ...nodesOf(on_result),
    ...nodesOf(on_error),
    ...path.layer.computed.map(([, node]) => node),
  ]
  return [...new Set(nodes.flatMap(({ reads }) => reads.filter(isOfRequest)))].sort()
}

function nodesOf({ layers, status, body, uri }: ResponsePlan): readonly Live[] {
  const ofLayers = layers.flatMap(({ computed, whole }) => [
    ...computed.map(([, node]) => node),
    ...(whole ? [whole] : []),
  ])
  const others = [typeof status === 'object' ? status.node : undefined, body, uri?.node]
  return [...ofLayers, ...others.filter((node) => node !== undefined)]
}

/** A request whose answer is looked for. */
export interface Negotiated {
  readonly identity: Identity
  readonly language: string
  /** The media type of a success; undefined where none was negotiated. */
  readonly type: string | undefined
}

/** What is known of a route. */
interface RouteFacts {
  /** Unlike that of any other route of this process, and of the same route once its document is loaded again. */
  readonly id: string
  /** The request fields that answers differ by, lower case. */
  readonly fields: readonly string[]
  /** Whether an upstream is told a trailing slash, which answers may then differ by: Django redirects to the path with it. */
  readonly tellsSlash: boolean
  /** What else its expressions read of a request. */
  readonly others: typeof otherReads
}

/** What answers may differ by that no other part of the key has, and the paths that read it. */
const otherReads: readonly {
  readonly reads: readonly string[]
  valueOf(exchange: Exchange, identity: Identity): string
}[] = [
  { reads: ['security', 'security.session'], valueOf: (_, { session = '' }) => session },
  {
    reads: ['security', ...webhookKeys.map((key) => `security.${key}`)],
    valueOf: (_, identity) => JSON.stringify(webhookKeys.map((key) => identity[key])),
  },
  { reads: ['request', 'request.peername'], valueOf: ({ peername }) => peername },
  { reads: ['request', 'request.port'], valueOf: ({ port }) => port },
]

/** All fields, of which expressions read some otherwise than by name. */
const allFields: typeof otherReads = [
  {
    reads: ['request', 'request.headers'],
    valueOf: ({ headers }) => JSON.stringify(Object.entries(headers).sort()),
  },
]

const fieldPrefix = 'request.headers.'

/** Keys of all routes of a process. */
export class CacheKeys {
  readonly #routes = new WeakMap<CompiledOperation, RouteFacts>()
  readonly #users = new WeakMap<Identity, string>()
  #lastId = 0

  /** Equal for requests that differ at most in the fields that answers name in `Vary`. The parts have no line breaks. */
  baseOf(
    plan: CachePlan,
    exchange: Exchange,
    route: CompiledOperation,
    { identity, language, type }: Negotiated,
  ): string {
    const { id, fields, tellsSlash, others } = this.#factsOf(route, plan)
    const { inherited } = route
    const types = type ?? exchange.negotiate(inherited.provides) ?? ''
    const user = isOfUser(plan, route) ? this.#userOf(identity) : ''
    const { scheme, host, query_string } = exchange
    const path = tellsSlash ? exchange.path : pathOf(exchange)
    const target = `${scheme}://${host}${path}?${query_string}`
    let key = `${id}\n${target}\n${types}\n${language}\n${user}`
    for (const name of fields) {
      const value = exchange.header(name)
      key += value === undefined ? '\n' : `\n:${value}`
    }
    for (const other of others) key += `\n${other.valueOf(exchange, identity)}`
    return key
  }

  /** The request fields that the document names, in `vary` and in expressions; lower case. */
  fieldsOf(route: CompiledOperation, plan: CachePlan): readonly string[] {
    return this.#factsOf(route, plan).fields
  }

  #factsOf(route: CompiledOperation, { vary }: CachePlan): RouteFacts {
    const known = this.#routes.get(route)
    if (known) return known
    this.#lastId += 1
    const reads = readsOf(route)
    const ofExpressions = reads
      .filter((read) => read.startsWith(fieldPrefix))
      .map((read) => read.slice(fieldPrefix.length).toLowerCase())
    const facts = {
      id: String(this.#lastId),
      fields: [...new Set([...vary, ...ofExpressions])],
      tellsSlash: kindsOf(route).some(({ passesOn }) => passesOn),
      others: (vary.length > 0 ? otherReads : [...otherReads, ...allFields]).filter((other) =>
        other.reads.some((read) => reads.includes(read)),
      ),
    }
    this.#routes.set(route, facts)
    return facts
  }

  /** Everything of an identity that a document or a router may judge by; a user with other roles gets other answers. */
  #userOf(identity: Identity): string {
    const known = this.#users.get(identity)
    if (known !== undefined) return known
    const { realm_uri, authid, authmethod, authroles, groups, meta, client_id, locale } = identity
    const { claims, granted_scopes, via, proofs } = identity
    const parts = [
      realm_uri,
      authid,
      authmethod,
      authroles,
      groups,
      meta,
      client_id,
      locale,
      claims,
      via,
      proofs,
      granted_scopes,
    ]
    const text = JSON.stringify(parts, (_key, value: unknown) =>
      typeof value === 'bigint' ? `${value}n` : value,
    )
    this.#users.set(identity, text)
    return text
  }
}

/** Whether each user has answers of their own: on a secured path, unless the document says otherwise. */
export const isOfUser = (
  { per }: CachePlan,
  { inherited, procedure }: CompiledOperation,
): boolean => (procedure?.isOfCaller ?? inherited.protection !== undefined) && per !== 'all'

/** A trailing slash is equivalent to none (behaviour §3). */
const pathOf = ({ path }: Pick<Exchange, 'path'>): string =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path

/** What unsafe requests drop (RFC 9111 §4.4). */
export const pathLabel = (exchange: Pick<Exchange, 'host' | 'path'>): string =>
  `path ${exchange.host}${pathOf(exchange)}`
