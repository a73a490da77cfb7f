/** Compiles a JSON value whose strings may hold expressions to a partially evaluated tree (stage 1). */

import { entriesAt, pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { Template } from './ast.ts'
import {
  admitLoad,
  beginEvaluation,
  charge,
  chargeLoad,
  depthLimit,
  outputLimit,
  report,
  weigh,
} from './budget.ts'
import {
  broken,
  constant,
  isBroken,
  joinedNode,
  listNode,
  mapNode,
  type Node,
  type Run,
  runOf,
} from './nodes.ts'
import { hasExpression, parseTemplate } from './parser.ts'
import { compileExpression } from './pipeline.ts'
import type { Scope } from './scope.ts'
import { Site, SiteError } from './site.ts'
import { textOf } from './text.ts'
import { ownValue } from './values.ts'

export type { Node } from './nodes.ts'

/** At most this many operations to evaluate one value, which doubling variables soon reach. */
const stepLimit = 100_000

/**
 * Compiles a value of a document. Parts that do not depend on request, action or security are evaluated now.
 * @param path JSON Pointer of the value
 * @param issues receives the issues; one list for each load
 * @param hasItem whether `_` may stand at a place
 */
export function compile(
  value: unknown,
  path: string,
  scope: Scope,
  issues: Issue[],
  hasItem: (path: string) => boolean = never,
): Node {
  if (isLiteral(value, 0)) return constant(value)
  return compileValue(value, path, { scope, issues, hasItem }, 0)
}

const never = (): boolean => false

/** What the texts of a value are compiled with. */
interface Around {
  readonly scope: Scope
  readonly issues: Issue[]
  /** Whether `_` may stand at a place: it is the item of a list where the value is used. @param path JSON Pointer */
  readonly hasItem: (path: string) => boolean
}

/** Whether the value is no list or map, and no text with an expression. */
const isPlain = (value: unknown): boolean =>
  typeof value === 'string' ? !hasExpression(value) : typeof value !== 'object' || value === null

/** Whether no text of the value holds an expression, and the value is not nested too deeply. */
function isLiteral(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return isPlain(value)
  if (depth > depthLimit) return false
  for (const key in value) {
    if (!isLiteral((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false
  }
  return true
}

function compileValue(value: unknown, path: string, around: Around, depth: number): Node {
  const { issues } = around
  if (typeof value === 'string') {
    return hasExpression(value) ? compileText(value, path, around) : constant(value)
  }
  if (typeof value !== 'object' || value === null) return constant(value)
  const isList = Array.isArray(value)
  if (!isList && !isMap(value)) return constant(value)
  if (depth > depthLimit) return refuse(path, `nested more than ${depthLimit} deep`, issues)
  if (isList) {
    const items = value.map((item, index) =>
      compileValue(item, pointer(path, index), around, depth + 1),
    )
    if (items.every((item, index) => isSame(item, value[index]))) return constant(value)
    return withinLimits(listNode(items), path, issues)
  }
  const entries = new Map<string, Node>()
  let isUntouched = true
  for (const [key, item, at] of entriesAt(value, path)) {
    const member = isPlain(item) ? constant(item) : compileValue(item, at, around, depth + 1)
    isUntouched &&= isSame(member, item)
    entries.set(key, member)
  }
  return isUntouched ? constant(value) : withinLimits(mapNode(entries), path, issues)
}

/** Whether the node is the literal that it was compiled from. */
const isSame = (node: Node, literal: unknown): boolean =>
  node.kind === 'constant' && Object.is(node.value, literal)

function refuse(path: string, message: string, issues: Issue[]): Node {
  report(issues, path, message)
  return broken
}

/** The limit that a node exceeds; undefined when it exceeds none. */
function excess(node: Node): string | undefined {
  if (isBroken(node)) return undefined
  if (node.steps > stepLimit) return `it takes more than ${stepLimit} steps to evaluate`
  if (node.depth > depthLimit) return `it is nested more than ${depthLimit} deep`
  if (node.kind !== 'constant') return undefined
  const { size, depth } = weigh(node.value)
  if (depth > depthLimit) return `the result is nested more than ${depthLimit} deep`
  return size > outputLimit ? 'the result is larger than 32 MiB' : undefined
}

function withinLimits(node: Node, path: string, issues: Issue[]): Node {
  const message = excess(node)
  return message === undefined ? node : refuse(path, message, issues)
}

/** Compiles a text that holds expressions; its first error becomes an issue at its path. */
function compileText(text: string, path: string, around: Around): Node {
  const { scope, issues } = around
  const whole = new Site(text, path, Math.max(0, text.indexOf('{{')), text.length)
  try {
    admitLoad(issues, whole)
    const template = scope.shared.templates.get(text) ?? parseTemplate(text, path)
    scope.shared.templates.set(text, template)
    const node = joinParts(template, whole, around)
    const message = excess(node)
    if (message !== undefined) whole.fail(message)
    return node
  } catch (error) {
    if (!(error instanceof SiteError)) throw error
    return refuse(error.site.path, error.issueMessage, issues)
  }
}

function joinParts(template: Template, whole: Site, of: Around): Node {
  const around = {
    scope: of.scope,
    issues: of.issues,
    site: whole,
    hasItem: of.hasItem(whole.path),
  }
  const nodes: Node[] = []
  const sites: Site[] = []
  let texts = 0
  for (const part of template.parts) {
    const isText = typeof part === 'string'
    if (isText) texts += part.length
    const node = isText ? constant(part) : compileExpression(part, around)
    nodes.push(node)
    sites.push(isText ? whole : whole.at(part.start, part.end, node))
  }
  const [only] = nodes
  if (only && template.isLone) return only
  return joinNodes(nodes, sites, whole, of.issues, texts)
}

/**
 * One text of several values.
 * @param sites where each of the values is written
 * @param texts characters of the text around expressions, before it is folded
 */
export function joinNodes(
  nodes: readonly Node[],
  sites: readonly Site[],
  whole: Site,
  issues: Issue[],
  texts = 0,
): Node {
  if (nodes.some(isBroken)) return broken
  const runs = nodes.map((node) => (node.kind === 'constant' ? undefined : runOf(node)))
  beginEvaluation()
  const constants = nodes.map((node, index) =>
    node.kind === 'constant' ? textOf(node.value, sites[index] ?? whole) : '',
  )
  chargeLoad(issues, whole)
  const known = constants.reduce((sum, { length }) => sum + length, 0)
  if (!runs.some(Boolean)) return constant(constants.join(''))
  const run = concatenation(runs, constants, sites, whole, Math.max(known, texts))
  return joinedNode(run, { nodes, sites, whole })
}

/** Joins texts, each charged before it is added. */
function concatenation(
  runs: readonly (Run | undefined)[],
  texts: readonly string[],
  sites: readonly Site[],
  whole: Site,
  known: number,
): Run {
  return (context) => {
    charge(known, whole)
    let text = ''
    for (let index = 0; index < runs.length; index++) {
      const run = runs[index]
      text += run ? textOf(run(context), sites[index] as Site) : texts[index]
    }
    return text
  }
}

/** The members of a map whose keys are known, by their keys. */
export type Members = ReadonlyMap<string, Node>

/** The members of a map; undefined for any other node, and where a request decides the keys. */
export function membersOf(node: Node): Members | undefined {
  if (node.kind === 'map') return node.entries
  if (node.kind !== 'constant' || !isMap(node.value)) return undefined
  const members = new Map<string, Node>()
  for (const key of Object.keys(node.value)) members.set(key, constant(node.value[key]))
  return members
}

/** A member of a map whose keys are known; undefined when it is absent or the node is no such map. */
export function member(node: Node, key: string): Node | undefined {
  if (node.kind === 'map') return node.entries.get(key)
  if (node.kind !== 'constant' || typeof node.value !== 'object' || node.value === null)
    return undefined
  const value = ownValue(node.value as JsonMap, key)
  return value === undefined || !isMap(node.value) ? undefined : constant(value)
}

/** The items of a list of known length; undefined for any other node. */
export function itemsOf(node: Node): readonly Node[] | undefined {
  if (node.kind === 'list') return node.items
  const isList = node.kind === 'constant' && Array.isArray(node.value)
  return isList ? (node.value as readonly unknown[]).map(constant) : undefined
}

/** The keys of a map; undefined for any other node. */
export function keysOf(node: Node): readonly string[] | undefined {
  if (node.kind === 'map') return [...node.entries.keys()]
  return node.kind === 'constant' && isMap(node.value) ? Object.keys(node.value) : undefined
}
