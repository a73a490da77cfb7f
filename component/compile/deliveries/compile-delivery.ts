/** Compiles a delivery of a document: what is sent where for an event, and how often. */
import { checkRaw, encodeValue } from '#component/action/forward/url-value.ts'
import { pointer } from '#component/codec/json.ts'
import { checkFolded, type Findings, written } from '#component/compile/fold-check.ts'
import { deliveryLevel, type Level, levelBelow } from '#component/compile/scope.ts'
import {
  type DeliveryEntry,
  type DeliveryPlan,
  type DeliveryTarget,
  isDeliveryEntry,
} from '#component/delivery/requests/plan.ts'
import type { DeliveryLimits } from '#component/delivery/types.ts'
import {
  compile,
  joinNodes,
  type Members,
  membersOf,
  type Node,
} from '#component/expression/compile.ts'
import { constant } from '#component/expression/nodes.ts'
import { siteOfRead } from '#component/expression/read-sites.ts'
import { SiteError } from '#component/expression/site.ts'
import { didYouMean } from '#component/expression/suggest.ts'
import { type UrlEscapes, urlText } from '#component/expression/url-text.ts'
import type { Route } from '#component/gateway/api.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { deliveryDefaults } from '#component/spec/delivery-rules.ts'
import type { ApiSpec, SpecDelivery } from '#component/spec/model.ts'
import { originProblem, readOrigin } from '#component/syntax/upstream-origin.ts'
import { isMap, type JsonMap, mapOrEmpty } from '#component/syntax/values.ts'

/** What the realm of a document says of the places that messages go to. */
export interface DeliverySettings {
  /** The origins that messages of a signer may go to; undefined: the realm has no such signer. */
  signerOrigins(realm_uri: string, name: string): readonly string[] | undefined
  /** The origins of the targets of an upstream; undefined: the realm has no such upstream. */
  upstreamOrigins(realm_uri: string, name: string): readonly string[] | undefined
  /** Where clients reach this gateway; undefined: it is not known. */
  readonly ownOrigin: string | undefined
}

/** What the deliveries of a document share. */
export interface DeliveryPorts {
  readonly spec: ApiSpec
  /** Of the document. */
  readonly level: Level
  /** Receives the level of every delivery. */
  readonly levels: Set<Level>
  /** Absent: the names of signers and upstreams are not checked. */
  readonly settings: DeliverySettings | undefined
  readonly findings: Findings
}

/** Keys that are text, or merged into the scope. */
const unevaluated = ['examples', 'description', 'summary', 'comment', 'variables']

/** The members of what expressions read. */
const membersOfData: Readonly<Record<string, readonly string[]>> = {
  'action.event': ['topic', 'args', 'kwargs', 'details', 'publication', 'accepted_at'],
  'action.gap': ['reason', 'since', 'until', 'count'],
}

/** What is not known at one time, and why. */
const absent = {
  admission: {
    delivery: 'there is no attempt yet: delivery is known in to, body and on_gap',
    'action.gap': 'there is no gap: action.gap is known in on_gap only',
  },
  request: { 'action.gap': 'there is no gap: action.gap is known in on_gap only' },
  gap: {
    'action.event':
      'a gap has no event: action.event is not known in on_gap, nor in a to with on_gap',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

const escapes: UrlEscapes = { encode: encodeValue, raw: checkRaw, received: new Map() }

/** The scheme and host of a URL, and the rest; of a rest that is absent the host may go on. */
const urlParts = /^(https?:\/\/[^/?#]+)([/?].*)?$/is

/** The entry of a delivery; undefined where it is too broken. */
export function compileDelivery(
  declared: SpecDelivery,
  ports: DeliveryPorts,
): DeliveryEntry<Route> | undefined {
  const plan = new DeliveryCompiler(declared, ports).plan()
  if (plan === undefined) return undefined
  const { id: api, realm_uri, host } = ports.spec
  const { name, path } = declared
  return { ...{ api, realm_uri, host, pattern: name, path }, routes: {}, delivery: plan }
}

/** Why users cannot add endpoints of a delivery; undefined: they can, or it is too broken to tell. */
export function endpointProblem(
  entries: readonly RouteEntry<Route>[],
  name: string,
): string | undefined {
  const found = entries.filter(isDeliveryEntry).find(({ delivery }) => delivery.name === name)
  return found === undefined || found.delivery.target.kind === 'endpoints'
    ? undefined
    : `the delivery ${JSON.stringify(name)} has no endpoints of users: its "to" has none`
}

class DeliveryCompiler {
  readonly #declared: SpecDelivery
  readonly #ports: DeliveryPorts
  readonly #findings: Findings

  constructor(declared: SpecDelivery, ports: DeliveryPorts) {
    this.#declared = declared
    this.#ports = ports
    this.#findings = ports.findings
  }

  plan(): DeliveryPlan | undefined {
    const { name, path: at, match, is_active: isActive, document } = this.#declared
    const { spec, levels } = this.#ports
    const { issues } = this.#findings
    const above = deliveryLevel(this.#ports.level)
    const level = levelBelow(above, { variables: mapOrEmpty(document.variables) }, at, issues)
    levels.add(level)
    const evaluated = Object.fromEntries(
      Object.entries(document).filter(([key]) => !unevaluated.includes(key)),
    )
    const node = compile(evaluated, at, level.scope, issues)
    if (node.kind === 'broken') return undefined
    checkFolded('delivery', evaluated, node, at, this.#findings)
    const members = membersOf(node) ?? new Map<string, Node>()
    const to = membersOf(members.get('to') ?? constant({})) ?? new Map<string, Node>()
    const topic = this.#known(members, 'topic')
    const target = this.#target(to)
    const filter = this.#live(members, 'filter')
    const order = this.#live(members, 'order')
    const headers = this.#live(to, 'headers')
    const body = this.#live(members, 'body')
    const gap = membersOf(members.get('on_gap') ?? constant({}))
    const gapBody = gap && this.#live(gap, 'body')
    if (target === undefined || typeof topic !== 'string') return undefined
    const sending = [nodeOf(target), headers].flatMap((one) => one ?? [])
    const isOfUsers = target.kind === 'endpoints'
    this.#checkReads('admission', [filter, order], isOfUsers)
    this.#checkReads('request', [...sending, body], isOfUsers)
    if (gapBody) this.#checkReads('gap', [...sending, gapBody], isOfUsers)
    const sign = this.#known(members, 'sign')
    const signer = typeof sign === 'string' ? sign : undefined
    this.#checkPlaces(target, signer)
    const { description, examples } = document
    return {
      ...{ name, at, topic, match, isActive, target, filter, order, headers, body, gapBody },
      ...{ api_spec: spec.id, realm_uri: spec.realm_uri, examples },
      sign: signer,
      method: String(this.#known(to, 'method', 'to') ?? deliveryDefaults.method),
      limits: this.#limits(members, to),
      connectTimeoutMs:
        this.#number(to, 'connect_timeout', 'to') ?? deliveryDefaults.connect_timeout,
      description: typeof description === 'string' ? description : undefined,
    }
  }

  #pathOf(...keys: readonly string[]): string {
    return written(this.#declared.document, this.#declared.path, ...keys)
  }

  /** A member that may depend on the event. */
  #live(members: Members, key: string): Live | undefined {
    const node = members.get(key)
    return node === undefined || node.kind === 'broken' ? undefined : node
  }

  /** A member that may not. */
  #known(members: Members, key: string, ...above: readonly string[]): unknown {
    const node = members.get(key)
    if (node === undefined || node.kind === 'broken') return undefined
    if (node.kind === 'constant') return node.value
    const message = `${key} must be known when the specification is loaded: it may not depend on the event`
    this.#findings.issues.push({ path: this.#pathOf(...above, key), message })
    return undefined
  }

  #number(members: Members, key: string, ...above: readonly string[]): number | undefined {
    const value = this.#known(members, key, ...above)
    return typeof value === 'number' ? value : undefined
  }

  #limits(members: Members, to: Members): DeliveryLimits {
    const known = this.#known(members, 'retry')
    const retry: JsonMap = isMap(known) ? known : {}
    const delays = Array.isArray(retry.delays) ? retry.delays.filter(isNumber) : []
    const number = (key: 'disable_after' | 'concurrency' | 'max_pending' | 'max_age') =>
      this.#number(members, key) ?? deliveryDefaults[key]
    return {
      delays: delays.length > 0 ? delays : deliveryDefaults.delays,
      jitter: isNumber(retry.jitter) ? retry.jitter : deliveryDefaults.jitter,
      disableAfter: number('disable_after'),
      concurrency: number('concurrency'),
      rate: this.#number(members, 'rate'),
      maxPending: number('max_pending'),
      maxAge: number('max_age'),
      onFull: this.#known(members, 'on_full') === 'drop_oldest' ? 'drop_oldest' : 'refuse',
      timeoutMs: this.#number(to, 'timeout', 'to') ?? deliveryDefaults.timeout,
    }
  }

  #target(to: Members): DeliveryTarget | undefined {
    const { issues } = this.#findings
    const named = this.#known(to, 'upstream', 'to')
    if (typeof named === 'string') {
      const node = to.get('path')
      const at = this.#pathOf('to', 'path')
      const path = node && urlText(node, 'path', at, escapes, issues)
      return path && path.kind !== 'broken'
        ? { kind: 'upstream', upstream: named, path }
        : undefined
    }
    if (to.has('endpoints')) {
      const known = this.#known(to, 'endpoints', 'to')
      const { per_user } = mapOrEmpty(known)
      return {
        kind: 'endpoints',
        perUser: isNumber(per_user) ? per_user : deliveryDefaults.per_user,
      }
    }
    const url = to.get('url')
    if (url === undefined || url.kind === 'broken') return undefined
    const at = this.#pathOf('to', 'url')
    if (url.kind === 'constant') {
      const parsed = typeof url.value === 'string' ? URL.parse(url.value) : null
      if (parsed === null) return undefined
      return hostTarget(
        `${parsed.protocol}//${parsed.host}`,
        constant(`${parsed.pathname}${parsed.search}`),
      )
    }
    const joined = url.kind === 'deferred' ? url.joined : undefined
    // a URL that the event has as a whole is taken as it is
    if (joined === undefined) return { kind: 'url', url }
    const [first, ...rest] = joined.nodes
    const text = first?.kind === 'constant' ? String(first.value) : ''
    const [, origin = '', begun] = urlParts.exec(text) ?? []
    if (begun === undefined) {
      const escaped = urlText(url, 'path', at, escapes, issues)
      return escaped.kind === 'broken' ? undefined : { kind: 'url', url: escaped }
    }
    const from = constant(begun.startsWith('/') ? begun : `/${begun}`)
    const path = joinNodes([from, ...rest], joined.sites, joined.whole, issues)
    const escaped = urlText(path, 'path', at, escapes, issues)
    if (escaped.kind === 'broken') return undefined
    const problem = origin.includes('@') ? 'it holds a user or a password' : originProblem(origin)
    if (problem === undefined) return hostTarget(origin, escaped)
    issues.push({
      path: at,
      message: `expected a URL such as https://shop.example.com/hooks: ${problem}`,
    })
    return undefined
  }

  /** Reports what expressions read that is not there at their time. */
  #checkReads(
    time: keyof typeof absent,
    nodes: readonly (Live | undefined)[],
    isOfUsers: boolean,
  ): void {
    const { issues } = this.#findings
    const { path: at } = this.#declared
    const whyAbsent: Readonly<Record<string, string>> = absent[time]
    for (const read of new Set(nodes.flatMap((node) => node?.reads ?? []))) {
      const [root = '', map = '', key] = read.split('.')
      const owner = `${root}.${map}`
      const members = membersOfData[owner]
      const isUser = owner === 'delivery.user'
      if (isUser && isOfUsers) continue
      const why =
        (isUser ? 'there is no user: to has no endpoints' : undefined) ??
        whyAbsent[root] ??
        whyAbsent[owner] ??
        (key !== undefined && members && !members.includes(key)
          ? `there is no "${read}"${didYouMean(key, members, issues)}`
          : undefined)
      if (why === undefined) continue
      const site = siteOfRead(issues, read, at)
      const message = site ? new SiteError(site, why).issueMessage : why
      issues.push({ path: site?.path ?? at, message })
    }
  }

  /** Where messages go, and whether their signer lets them: the realm may be loaded later, so what it lacks is a warning. */
  #checkPlaces(target: DeliveryTarget, signer: string | undefined): void {
    const { issues, warnings } = this.#findings
    const { settings, spec } = this.#ports
    const { realm_uri } = spec
    const key = target.kind === 'upstream' ? 'upstream' : 'url'
    const at = this.#pathOf('to', key)
    if (target.kind === 'endpoints') return
    if (signer === undefined) {
      const message = 'no signer: receivers cannot tell who has sent a message'
      warnings.push({ path: pointer(this.#declared.path, 'sign'), message })
    }
    if (settings === undefined) return
    const origins =
      target.kind === 'host'
        ? [target.origin]
        : target.kind === 'upstream'
          ? settings.upstreamOrigins(realm_uri, target.upstream)
          : []
    if (target.kind === 'upstream' && origins === undefined) {
      const message = `${realm_uri} has no upstream ${JSON.stringify(target.upstream)} in info.upstreams: nothing is sent`
      warnings.push({ path: at, message })
    }
    if (target.kind === 'host' && target.origin === settings.ownOrigin) {
      const message =
        'this is the address of the gateway: what it receives may be published again, and so delivered again'
      warnings.push({ path: at, message })
    }
    if (signer === undefined) return
    const allowed = settings.signerOrigins(realm_uri, signer)
    if (allowed === undefined) {
      const message = `${realm_uri} has no signer ${JSON.stringify(signer)} in info.webhook_signers: nothing is sent`
      warnings.push({ path: this.#pathOf('sign'), message })
      return
    }
    for (const origin of origins ?? []) {
      if (allowed.includes(origin)) continue
      const message = `the signer ${JSON.stringify(signer)} does not go to ${origin}`
      issues.push({ path: at, message })
    }
  }
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

const nodeOf = (target: DeliveryTarget): Live | undefined =>
  target.kind === 'endpoints' ? undefined : target.kind === 'url' ? target.url : target.path

/** An origin with its port where the scheme does not imply it, in lower case. */
function hostTarget(written: string, path: Live): DeliveryTarget | undefined {
  const origin = readOrigin(written)
  return 'problem' in origin ? undefined : { kind: 'host', origin: origin.text, path }
}
