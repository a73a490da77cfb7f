/** Compiles one method of one path: its action, its bounds and its two responses. */

import { keysOfPointer } from '#component/codec/json.ts'
import {
  compileRequestChecks,
  compileResponseCheck,
  noteDescribedSchemas,
  noteExampleSchemas,
  type WrittenOperation,
} from '#component/compile/schemas/compile-checks.ts'
import type { DocumentSchemas } from '#component/compile/schemas/document-schemas.ts'
import { checkTokenReads } from '#component/compile/security/provider-token.ts'
import {
  type SchemeOfSender,
  webhookWarnings,
} from '#component/compile/security/webhook-warnings.ts'
import {
  compileStream,
  isOneEvent,
  kindOf,
  streamParts,
} from '#component/compile/streams/compile-streams.ts'
import type { StreamedOperation } from '#component/compile/streams/stream-checks.ts'
import { negotiatedTypes, offeredTypes } from '#component/compile/streams/stream-types.ts'
import type { Issue } from '#component/errors.ts'
import { type Members, membersOf } from '#component/expression/compile.ts'
import { readsItem, readsItemOnly } from '#component/expression/items.ts'
import type { Scope } from '#component/expression/scope.ts'
import type {
  ActionPlan,
  BranchesPlan,
  CompiledOperation,
  CompiledPath,
  InheritedValues,
  PathReading,
  ResponsePlan,
} from '#component/gateway/api.ts'
import { bodyMethods } from '#component/gateway/checks.ts'
import { Encodings } from '#component/gateway/encodings.ts'
import { type HeaderLayer, type Live, layerOf } from '#component/gateway/header-layers.ts'
import { stagesOf } from '#component/gateway/stages.ts'
import { inForce } from '#component/policies/kinds.ts'
import type { Method } from '#component/request.ts'
import { isRange } from '#component/syntax/media-type.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { targetOf } from './action-target.ts'
import {
  actionsIn,
  type CompiledAction,
  compileActions,
  type PartialPlan,
  traceNameOf,
} from './compile-action.ts'
import { compileResponse, extentNodes, nodesOf, withVary } from './compile-response.ts'
import { compileSocket } from './compile-socket.ts'
import { credentialWarnings, type TakesUserToken } from './credential-warnings.ts'
import { checkExtent } from './extent.ts'
import { checkFolded, type Findings, written as writtenAt } from './fold-check.ts'
import {
  first,
  inDefaults,
  isActionKey,
  isInheritedKey,
  type Lookup,
  lookupIn,
} from './inherited-values.ts'
import type { Interner } from './interner.ts'
import { type Lifetime, lifetimeBelow } from './lifetime.ts'
import { compileMap, writtenOf } from './literal-parts.ts'
import { type HasUpstream, namedUpstreams } from './named-upstreams.ts'
import { checkReads } from './read-checks.ts'
import { type Level, levelBelow } from './scope.ts'
import { checkServed, type RootProblem } from './served-roots.ts'
import { compileStreamedBody } from './streamed-body.ts'

/** The parts that the operations of one path share. */
export interface PathPlan {
  readonly document: JsonMap
  readonly at: string
  readonly level: Level
  readonly path: CompiledPath
  readonly lifetime: Lifetime
  /** The headers of every answer that are known at load, with those of a lifetime. */
  readonly headersOf: (lifetime: Lifetime) => CompiledPath['headers']
  /** The forms of its pattern; empty when it is broken. */
  readonly forms: readonly KeyedForm[]
  readonly reading: PathReading
  /** Looks up the keys of the path itself. */
  readonly own: Lookup
  /** Looks up the defaults of its level. */
  readonly defaults: Lookup
  /** Reads the values that hold for an operation with keys of its own. */
  readonly readValues: (lookup: Lookup, scope: Scope, action: Lookup) => InheritedValues
  readonly statusCodes: (level: Level) => ReadonlyMap<string, number>
  /** Receives the level of every operation that has one of its own. */
  readonly levels: Set<Level>
  readonly schemas: DocumentSchemas
  readonly schemeOfSender: SchemeOfSender | undefined
  readonly hasUpstream: HasUpstream | undefined
  readonly takesUserToken: TakesUserToken | undefined
  readonly rootProblem: RootProblem | undefined
  /** Of the document. */
  readonly realm_uri: string
  readonly findings: Findings
  readonly interner: Interner
}

/** Whether a node reads the data at one of the keys, above it or below it. */
function isRead(nodes: Iterable<Live>, ...keys: readonly string[]): boolean {
  for (const node of nodes) {
    for (const read of node.reads) {
      if (keys.some((key) => isWithin(read, key) || isWithin(key, read))) return true
    }
  }
  return false
}

const isWithin = (read: string, key: string): boolean =>
  read.startsWith(key) && (read.length === key.length || read[key.length] === '.')

const noMembers: Members = new Map()

/** Compiles an operation; undefined when its action is too broken. */
export function compileOperation(method: Method, plan: PathPlan): CompiledOperation | undefined {
  const { findings } = plan
  const { issues } = findings
  const raw = plan.document[method]
  const at = `${plan.at}/${method}`
  const map = isMap(raw) ? raw : undefined
  const level = map ? levelBelow(plan.level, map, at, issues) : plan.level
  if (level !== plan.level) plan.levels.add(level)
  const operation = compileMap(raw, at, level.scope, issues)
  if (operation === undefined) return undefined
  checkFolded('operation', raw, operation, at, findings)
  const members = membersOf(operation) ?? noMembers
  const written = writtenOf(raw, operation)
  const path = pathWith(lifetimeBelow(plan.lifetime, written, at, findings), plan)

  /** Where a key of the operation is written: the expression it came from, or the key itself. */
  const pathOf = (...keys: readonly string[]): string => writtenAt(raw, at, ...keys)
  const actionNode = members.get('action')
  const inAction = (...keys: readonly string[]): string => pathOf('action', ...keys)
  const actions = actionNode && compileActions(method, actionNode, inAction, plan)
  const last = actions?.all.at(-1)
  if (actions === undefined || last === undefined) return undefined
  const every = actionsIn(actions.all)
  const isSingle = !actions.isList && every.length === 1

  const ownKeys = lookupIn(members, (key) => pathOf(key))
  const defaults = level === plan.level ? plan.defaults : inDefaults(level, findings)
  const hasOwnKeys = level !== plan.level || [...members.keys()].some(isInheritedKey)
  /** The values that hold for an action, or for all where none is given. */
  const valuesOf = (action?: CompiledAction): InheritedValues => {
    const hasKeys = hasOwnKeys || (action && [...action.members.keys()].some(isActionKey))
    if (!hasKeys) return path.inherited
    const actionKeys = lookupIn(action?.members, (key) => action?.pathOf(key) ?? '')
    return plan.readValues(first(ownKeys, plan.own, defaults), level.scope, actionKeys)
  }
  const inherited = valuesOf(actions.isList ? undefined : last)

  const source: WrittenOperation = { raw, node: operation, at }
  noteExampleSchemas(source, plan)
  const checks = compileRequestChecks(method, source, inherited, plan)
  noteDescribedSchemas(source, plan)
  const responseNode = members.get('response')
  const response = responseNode && membersOf(responseNode)
  const kind = kindOf(actions.isList ? undefined : last.plan.kind, response)
  const hasOwnProvides = ownKeys('provides') !== undefined
  const offer = { kind, hasOwnProvides, isOne: isOneEvent(last.members) }
  const offered = offeredTypes(offer, inherited)
  const encoded = withVary(offered, path, plan.interner)
  const respond = (
    key: 'on_result' | 'on_error',
    isOfUpstream: boolean,
    ...between: readonly HeaderLayer[]
  ): ResponsePlan => {
    const node = response?.get(key)
    const declared = (node && membersOf(node)) ?? noMembers
    const hasBody = declared.has('body')
    const isPassedOn = isOfUpstream && !hasBody && !inherited.declares.provides
    const kinds = hasBody ? [] : actions.all.map(({ plan }) => plan.kind)
    const check = compileResponseCheck(key, source, inherited, kinds, plan)
    if (node?.kind === 'deferred') {
      const message = 'a response declaration must be a map whose keys are known at load'
      issues.push({ path: pathOf('response', key), message })
    }
    return compileResponse(
      declared,
      (name) => pathOf('response', key, name),
      isPassedOn || last.plan.type === 'none' ? path.headers : encoded,
      [path.layer, ...between],
      check,
      plan.interner,
    )
  }
  const ownHeaders = last.plan.kind.answers ? [last.members.get('headers')] : []
  const isForward = last.plan.kind.passesOn
  const on_result = respond('on_result', isForward, ...ownHeaders.map(layerOf))
  const on_error = respond('on_error', actions.all.every(isOfForward))
  checkGroups(actions.all, response, pathOf, issues)

  const streamed: StreamedOperation = {
    method,
    response,
    actions: actions.all.map(({ members, plan }) => ({ members, kind: plan.kind })),
    isList: actions.isList,
    ...offer,
    on_result,
    inherited,
    pathOf,
  }
  const parts = streamParts(streamed)

  const outcomeNodes = [
    ...nodesOf(on_result),
    ...(kind === 'progress' ? [] : extentNodes(on_result)),
    ...nodesOf(on_error),
  ]
  const values = every.map((action) => (isSingle ? inherited : valuesOf(action)))
  const fields = every.map(({ plan }) => plan.computed.map(([, node]) => node))
  const requestNodes = [
    ...fields.flat(),
    ...values.flatMap(({ attempts }) => attempts.computed.map(([, { node }]) => node)),
    ...outcomeNodes,
  ]
  const operationRead = {
    at,
    pattern: path.pattern,
    forms: plan.forms,
    actions: every.map(({ plan }) => plan.kind),
    isList: actions.isList,
    protection: inherited.protection,
  }
  const others = parts.map((part) => part.at)
  checkReads({ place: 'request', at, nodes: requestNodes, others }, operationRead, findings)
  for (const part of parts) checkReads(part, operationRead, findings)
  const policies = inForce(inherited.policies)
  const passesToken = checkTokenReads(
    {
      actions: every,
      inherited,
      others: [
        ...['on_result', 'on_error'].map((key, index) => ({
          at: pathOf('response', key),
          nodes: nodesOf(index === 0 ? on_result : on_error),
          others,
        })),
        ...values.flatMap(({ attempts }) =>
          attempts.computed.map(([, { node, path: at }]) => ({ at, nodes: [node] })),
        ),
        ...parts,
        ...policies.flatMap(([kind, plan]) => kind.evaluates(plan)),
      ],
    },
    issues,
  )
  const nodes =
    parts.length > 0 ? [...requestNodes, ...parts.flatMap(({ nodes }) => nodes)] : requestNodes
  const passing = every.filter((action) => isOfForward(action) && !action.members.has('body'))
  const isBodyUsed = isRead(nodes, ...bodyReads)
  const isBodyChecked = checks?.parts.some(({ part }) => part === 'body') === true
  if (isBodyChecked && passing.length === 1 && !isBodyUsed) {
    findings.warnings.push({ path: at, message: held })
  }
  const isBodyRead = isBodyUsed || isBodyChecked
  const writtenAction = map?.action
  const isCompared = policies.some(([kind]) => kind.comparesAnswers)
  const compiled = every.map((action, index): ActionPlan => {
    const written = writtenIn(writtenAction, action.pathOf(), pathOf('action'))
    const { type, kind, fixed, computed, computedNames } = action.plan
    const { attempts, traceKwargs } = values[index] ?? inherited
    const later = [...outcomeNodes, ...fields.slice(index + 1).flat()]
    const isInGroup = !actions.all.includes(action)
    const readsAnswer = isOfForward(action) && (isInGroup || isRead(later, ...answerKeys))
    const isAnswer = action === last
    // written out: spreading an object and adding to it makes two in memory
    return {
      type,
      kind,
      target: targetOf(action, written, path),
      fixed,
      computed,
      computedNames,
      attempts,
      traceKwargs: traceNameOf(action, traceKwargs, issues),
      passesBody: passing.includes(action),
      readsAnswer,
      asksGet: method === 'get' && isOfForward(action) && (readsAnswer || (isAnswer && isCompared)),
      branches: undefined,
    }
  })
  const planOf = (one: CompiledAction): ActionPlan => {
    const own = compiled[every.indexOf(one)] as ActionPlan
    return one.branches.length === 0 ? own : { ...own, branches: branchesPlan(one, planOf) }
  }
  const plans = actions.all.map(planOf)
  // a stream can be passed on once
  const isPassedInGroup = passing.some((one) => !actions.all.includes(one))
  const keepsBody = passing.length > (isBodyRead || isPassedInGroup ? 0 : 1)
  const passesUnread = passing.length > 0 && !isBodyRead && !keepsBody
  const secured = { at, method, inherited, passesUnread }
  findings.warnings.push(...webhookWarnings(secured, plan.schemeOfSender))
  findings.warnings.push(...namedUpstreams(every, plan))
  findings.warnings.push(...credentialWarnings(every, inherited, plan))
  const action = plans.at(-1) as ActionPlan
  const hasForward = every.some(isOfForward)
  const { readsAnswer } = action
  const types =
    method === 'options'
      ? undefined
      : negotiatedTypes(kind, offered, on_result, inherited, { isForward, readsAnswer })
  if (types?.some(isRange) && (on_result.body || (action.kind.answers && !isForward))) {
    const message =
      'provides names a range of types: response.on_result.headers must have the content-type'
    issues.push({ path: at, message })
  }
  const streams = compileStream(streamed, types, findings)
  const isRaw = streams?.kind === 'progress' && streams.isRaw
  checkExtent(
    {
      ...{ extent: on_result.extent, isRaw, isFramed: streams !== undefined && !isRaw },
      policies: inherited.policies,
      isPassedOn: isForward && on_result.body === undefined,
    },
    issues,
  )
  if (streams) plan.schemas.features.add('stream')
  if (passesToken) plan.schemas.features.add('provider_token')
  for (const [kind, policy] of policies) {
    if (kind.feature !== undefined) plan.schemas.features.add(kind.feature)
    const unused = kind.warn(policy, method, at)
    if (unused) findings.warnings.push(unused)
  }
  const websocket = compileSocket(
    { method, actions: every, isList: !isSingle, policies },
    findings.issues,
  )
  if (websocket) plan.schemas.features.add('websocket')
  const onResult = response?.get('on_result')
  const resultAt = pathOf('response', 'on_result')
  const served = { method, actions: actions.all, isList: actions.isList, resultAt, ...plan }
  checkServed({ ...served, onResult: onResult && membersOf(onResult) }, findings)
  const steps = actions.isList ? plans : undefined
  const streamedBody = compileStreamedBody(
    {
      ...{ method, at, actions: plans, isList: actions.isList, inherited, isBodyRead },
      ...{ written: map ?? {}, hasStream: streams !== undefined },
      nodes,
    },
    issues,
  )
  if (streamedBody) plan.schemas.features.add('body_stream')
  // decoded even where no expression reads it, so that a malformed body is refused; a forward leaves that to its upstream
  const readsBody =
    isBodyRead || (bodyMethods.has(method) && !hasForward && streamedBody === undefined)
  const needed = stagesOf({
    ...{ method, isTool: false, path, inherited, checks, negotiated: types, readsBody, keepsBody },
    ...{ streams, passesToken, action, steps, websocket },
  })
  const names = needed.map(({ name }) => name).join(' ')
  return {
    at,
    written,
    path,
    inherited,
    stages: plan.interner.share(`stages ${names}`, () => needed),
    action,
    steps,
    checks,
    passesToken,
    readsBody,
    streamedBody,
    keepsBody,
    negotiated: types,
    checksType: method !== 'options' && (!hasForward || isBodyRead || inherited.declares.accepts),
    on_result,
    on_error,
    encodings: types && isBodyFixed(action, on_result) ? new Encodings() : undefined,
    streams,
    websocket,
    procedure: undefined,
    status_codes: plan.statusCodes(level),
  }
}

/** What an expression reads where the body of the request is in it. */
const bodyReads = ['body', 'body_length', 'body_lists', 'files', 'file_lists'].map(
  (key) => `request.${key}`,
)

/** The path as an operation with its own lifetime has it. */
const pathWith = (lifetime: Lifetime, { path, lifetime: ofPath, headersOf }: PathPlan) =>
  lifetime === ofPath
    ? path
    : { ...path, isDeprecated: lifetime.isDeprecated, headers: headersOf(lifetime) }

/** What an action performs, of the plans of its branches. */
function branchesPlan(
  { branches, members, plan }: CompiledAction,
  planOf: (action: CompiledAction) => ActionPlan,
): BranchesPlan {
  const optional = plan.fixed.optional
  const isOptional = (name: string): boolean =>
    Array.isArray(optional) ? optional.includes(name) : optional === true
  const list = plan.kind.branches?.of === 'items' ? members.get('items') : undefined
  return {
    list,
    all: branches.map(({ name, all, isList }) => ({
      ...{ name, isList, isOptional: isOptional(name) },
      plans: all.map((action): ActionPlan => {
        const own = planOf(action)
        if (list?.kind !== 'constant') return own
        // what is made of items that the document writes, no request names
        const ofRequest = own.computed.filter(([, node]) => !readsItemOnly(node))
        const names = ofRequest.map(([field]) => field)
        return { ...own, computedNames: new Set(names) }
      }),
    })),
  }
}

const hereNoItem = '"_" is the item of where, map, sort …: there is none here'

/** Reports what actions that perform others need of their operation. */
function checkGroups(
  actions: readonly CompiledAction[],
  response: Members | undefined,
  pathOf: (...keys: readonly string[]) => string,
  issues: Issue[],
): void {
  const isGroup = ({ plan }: CompiledAction) => plan.kind.branches !== undefined
  const declared = response?.get('on_result')
  if (actions.slice(-1).some(isGroup) && !(declared && membersOf(declared)?.has('body'))) {
    const path = pathOf('response', 'on_result', 'body')
    const message = 'body is missing: an action of several has no body of its own'
    issues.push({ path, message })
  }
  const refuse = ({ plan, pathOf }: CompiledAction): void => {
    for (const [name, node] of plan.computed) {
      if (readsItem(node)) issues.push({ path: pathOf(name), message: hereNoItem })
    }
  }
  for (const action of actions) {
    refuse(action)
    const { of } = action.plan.kind.branches ?? {}
    if (of !== 'items') for (const { all } of action.branches) all.forEach(refuse)
  }
}

/** A member of the action as the document writes it. */
function writtenIn(action: unknown, path: string, at: string): unknown {
  let value = action
  for (const key of keysOfPointer(path.slice(at.length))) {
    if (typeof value !== 'object' || value === null) break
    value = (value as JsonMap)[key]
  }
  return value
}

/** What a schema costs that has a body read which would be passed on. */
const held =
  'the schema of the body makes the gateway read the body before it is forwarded: it is held in memory, up to body_max_bytes'

/** What an expression reads where the body of an upstream's answer is in it. */
const answerKeys = ['action.result.body', 'action.error.body', 'action.results'] as const

const isOfForward = ({ plan }: CompiledAction): boolean => plan.kind.passesOn

/** Whether the body of a success is the same for every request. */
function isBodyFixed({ kind, computedNames }: PartialPlan, { body }: ResponsePlan): boolean {
  if (body !== undefined) return body.kind === 'constant'
  return kind.answers === 'fixed' && !computedNames.has('body')
}
