/** Compiles one method of one path: its action, its bounds and its two responses. */

import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { compile, keysOf, member, type Node } from '#component/expression/compile.ts'
import type { Scope } from '#component/expression/scope.ts'
import type {
  ActionPlan,
  CompiledOperation,
  CompiledPath,
  InheritedValues,
  ResponsePlan,
} from '#component/gateway/api.ts'
import { Encodings } from '#component/gateway/encodings.ts'
import { type HeaderLayer, type Live, layerOf } from '#component/gateway/header-layers.ts'
import type { Method } from '#component/request.ts'
import { type ActionType, actionTypes } from '#component/spec/model.ts'
import { isExpression } from '#component/spec/rules.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { compileResponse, nodesOf, withVary } from './compile-response.ts'
import { checkFolded, type Findings, written } from './fold-check.ts'
import { forwardFields } from './forward-fields.ts'
import {
  first,
  inDefaults,
  isAttemptKey,
  isInheritedKey,
  type Lookup,
  lookupIn,
} from './inherited-values.ts'
import type { Interner } from './interner.ts'
import { checkReads } from './read-checks.ts'
import { type Level, levelBelow } from './scope.ts'

/** The parts that the operations of one path share. */
export interface PathPlan {
  readonly document: JsonMap
  readonly at: string
  readonly level: Level
  readonly path: CompiledPath
  /** The forms of its pattern; empty when it is broken. */
  readonly forms: readonly KeyedForm[]
  /** Looks up the keys of the path itself. */
  readonly own: Lookup
  /** Looks up the defaults of its level. */
  readonly defaults: Lookup
  /** Reads the values that hold for an operation with keys of its own. */
  readonly readValues: (lookup: Lookup, scope: Scope, action: Lookup) => InheritedValues
  readonly statusCodes: (level: Level) => ReadonlyMap<string, number>
  /** Receives the level of every operation that has one of its own. */
  readonly levels: Set<Level>
  readonly findings: Findings
  readonly interner: Interner
}

/** Keys of an operation that are evaluated as a part of it; the others are text, or merged into its scope. */
const isEvaluated = (key: string): boolean =>
  key === 'action' || key === 'response' || (isInheritedKey(key) && key !== 'headers')

/** The fields of each type of action; `arguments` and `arguments_kw` are other names for `args` and `kwargs`. */
const fieldNames: Readonly<Record<ActionType, readonly string[]>> = {
  static: ['headers', 'body'],
  forward: ['http_method', 'host', 'path', 'query_string', 'headers', 'body'],
  wamp_call: ['procedure', 'options', 'args', 'kwargs', 'arguments', 'arguments_kw'],
  wamp_publish: ['topic', 'options', 'args', 'kwargs', 'arguments', 'arguments_kw'],
}

/** Whether a node reads the data at `key`, above it or below it. */
function isRead(nodes: Iterable<Live>, key: string): boolean {
  for (const node of nodes) {
    for (const read of node.reads) {
      if (read === key || isBelow(read, key) || isBelow(key, read)) return true
    }
  }
  return false
}

const isBelow = (read: string, key: string): boolean =>
  read[key.length] === '.' && read.startsWith(key)

/** Compiles an operation; undefined when its action is too broken. */
export function compileOperation(method: Method, plan: PathPlan): CompiledOperation | undefined {
  const { findings, path } = plan
  const { issues } = findings
  const raw = plan.document[method]
  const at = pointer(plan.at, method)
  const level = isMap(raw) ? levelBelow(plan.level, raw, at, issues) : plan.level
  if (level !== plan.level) plan.levels.add(level)
  const operation = compileMap(raw, at, level, issues)
  if (operation === undefined) return undefined
  checkFolded('operation', raw, operation, at, findings)

  /** Where a key of the operation is written: the expression it came from, or the key itself. */
  const pathOf = (...keys: readonly string[]): string => written(raw, at, ...keys)
  const actionNode = member(operation, 'action')
  const action = compileAction(method, actionNode, () => pathOf('action'), plan)
  if (action === undefined) return undefined

  const ownKeys = lookupIn(operation, (key) => pathOf(key))
  const actionKeys = lookupIn(actionNode, (key) => pathOf('action', key))
  const defaults = level === plan.level ? plan.defaults : inDefaults(level.scope, findings)
  const hasOwnValues =
    level !== plan.level ||
    keysOf(operation)?.some(isInheritedKey) ||
    (actionNode && keysOf(actionNode)?.some(isAttemptKey))
  const inherited = hasOwnValues
    ? plan.readValues(first(ownKeys, plan.own, defaults), level.scope, actionKeys)
    : path.inherited

  const encoded = withVary(inherited, path, plan.interner)
  const isForward = action.type === 'forward'
  const response = member(operation, 'response')
  const respond = (key: string, ...between: readonly HeaderLayer[]): ResponsePlan => {
    const node = response && member(response, key)
    const isPassedOn = isForward && !(node && member(node, 'body')) && !inherited.declares.provides
    return compileResponse(
      node,
      (name) => (name === '' ? pathOf('response', key) : pathOf('response', key, name)),
      isPassedOn || action.type === 'none' ? path.headers : encoded,
      [path.layer, ...between],
      findings,
      plan.interner,
    )
  }
  const ownHeaders = action.type === 'static' && actionNode ? [member(actionNode, 'headers')] : []
  const on_result = respond('on_result', ...ownHeaders.map(layerOf))
  const on_error = respond('on_error')

  const outcomeNodes = [...nodesOf(on_result), ...nodesOf(on_error)]
  const nodes = [
    ...action.computed.map(([, node]) => node),
    ...inherited.attempts.computed.map(([, { node }]) => node),
    ...outcomeNodes,
  ]
  const { pattern } = path
  const security = inherited.protection?.object
  checkReads(nodes, { at, pattern, forms: plan.forms, action: action.type, security }, findings)
  const readsBody = isRead(nodes, 'request.body') || isRead(nodes, 'request.body_length')
  const readsAnswer =
    isForward &&
    (isRead(outcomeNodes, 'action.result.body') || isRead(outcomeNodes, 'action.error.body'))
  const hasOwnBody = actionNode !== undefined && member(actionNode, 'body') !== undefined
  const types =
    method === 'options' ? undefined : negotiated(inherited, on_result, isForward, readsAnswer)
  const { type, fixed, computed, computedNames } = action
  const passesBody = isForward && !readsBody && !hasOwnBody
  return {
    at,
    path,
    inherited,
    // written out: spreading an object and adding to it makes two in memory
    action: { type, fixed, computed, computedNames, passesBody, readsAnswer },
    readsBody,
    negotiated: types,
    checksType: method !== 'options' && (!isForward || readsBody || inherited.declares.accepts),
    on_result,
    on_error,
    encodings: types && isBodyFixed(action, on_result) ? new Encodings() : undefined,
    status_codes: plan.statusCodes(level),
  }
}

/** An operation as a map with known keys; undefined when it is not one. */
function compileMap(raw: unknown, at: string, level: Level, issues: Issue[]): Node | undefined {
  if (isMap(raw)) {
    const evaluated = Object.fromEntries(Object.entries(raw).filter(([key]) => isEvaluated(key)))
    return compile(evaluated, at, level.scope, issues)
  }
  // a literal of another type has been reported by validation
  if (!isExpression(raw)) return undefined
  const node = compile(raw, at, level.scope, issues)
  if (node.kind === 'broken') return undefined
  if (keysOf(node) !== undefined) return node
  issues.push({ path: at, message: 'an operation must be a map that is known at load' })
  return undefined
}

/** The media types that the answer to a success can have, where `Accept` may refuse them (behaviour §3). */
function negotiated(
  inherited: InheritedValues,
  on_result: ResponsePlan,
  isForward: boolean,
  readsAnswer: boolean,
): readonly string[] | undefined {
  const isOwn = !isForward || on_result.body !== undefined
  const mayBeComputed = on_result.layers.some(
    ({ computed, whole }) => whole || computed.some(([name]) => name === 'content-type'),
  )
  const type = on_result.headers['content-type']
  if (isOwn && mayBeComputed) return undefined
  if (isOwn && type !== undefined) return [type]
  return isForward && !readsAnswer && !inherited.declares.provides ? undefined : inherited.provides
}

/** Whether the body of a success is the same for every request. */
function isBodyFixed({ type, computedNames }: PartialPlan, { body }: ResponsePlan): boolean {
  if (body !== undefined) return body.kind === 'constant'
  return type === 'static' && !computedNames.has('body')
}

type PartialPlan = Omit<ActionPlan, 'passesBody' | 'readsAnswer'>

type NamedNodes = readonly (readonly [name: string, node: Live])[]

function namesOf(computed: NamedNodes, interner: Interner): ReadonlySet<string> {
  const names = computed.map(([name]) => name)
  return interner.share(`names ${names}`, () => new Set(names))
}

function compileAction(
  method: Method,
  node: Node | undefined,
  pathOf: () => string,
  { findings, interner }: PathPlan,
): PartialPlan | undefined {
  const { issues } = findings
  if (node === undefined || node.kind === 'broken') return undefined
  const keys = keysOf(node)
  if (keys === undefined) {
    if (node.kind === 'deferred') {
      issues.push({ path: pathOf(), message: 'an action must be a map that is known at load' })
    }
    return undefined
  }
  const fixed: Record<string, unknown> = {}
  const computed: [string, Live][] = []
  // only under `options`: elsewhere validation or checkFolded has reported it
  if (keys.length === 0 && method === 'options') {
    return { type: 'none', fixed, computed, computedNames: namesOf(computed, interner) }
  }
  const typeNode = member(node, 'type')
  if (typeNode && typeNode.kind !== 'constant' && typeNode.kind !== 'broken') {
    const message = 'the type of an action must be known at load'
    issues.push({ path: pointer(pathOf(), 'type'), message })
  }
  const value = typeNode?.kind === 'constant' ? typeNode.value : undefined
  const type = actionTypes.find((name) => name === value)
  if (type === undefined) return undefined
  for (const name of fieldNames[type]) {
    const value = member(node, name)
    const compileField = type === 'forward' ? forwardFields[name] : undefined
    const field = value && (compileField?.(value, pointer(pathOf(), name), findings) ?? value)
    if (field === undefined || field.kind === 'broken') continue
    if (field.kind === 'constant') fixed[name] = field.value
    else computed.push([name, field])
  }
  return { type, fixed, computed, computedNames: namesOf(computed, interner) }
}
