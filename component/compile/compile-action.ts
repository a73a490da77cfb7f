/** Compiles the action of an operation, or each action of a list. */

import type { ActionKind } from '#component/action/kind.ts'
import { kindOf, noAction } from '#component/action/kinds.ts'
import { pointer } from '#component/codec/json.ts'
import { streamForms } from '#component/compile/streams/stream-fields.ts'
import type { Issue } from '#component/errors.ts'
import {
  itemsOf,
  keysOf,
  type Members,
  member,
  membersOf,
  type Node,
} from '#component/expression/compile.ts'
import type { ActionPlan, PathReading } from '#component/gateway/api.ts'
import type { Live } from '#component/gateway/header-layers.ts'
import type { Method } from '#component/request.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import type { FieldCompilers } from './field-compiler.ts'
import type { Findings } from './fold-check.ts'
import { forwardForms } from './forward-fields.ts'
import type { Interner } from './interner.ts'
import { ownPath } from './strip-prefix.ts'

/** How fields are compiled further than any value, by their form. */
const compilers: FieldCompilers = { ...forwardForms, ...streamForms }

/** A plan without what depends on the other parts of its operation. */
export type PartialPlan = Omit<
  ActionPlan,
  'branches' | 'target' | 'attempts' | 'traceKwargs' | 'passesBody' | 'readsAnswer' | 'asksGet'
>

/** One action as it was compiled. */
export interface CompiledAction {
  readonly members: Members
  readonly plan: PartialPlan
  /** The JSON Pointer at which a key of it is written. */
  readonly pathOf: (...keys: readonly string[]) => string
  /** What it performs; empty: no other actions. */
  readonly branches: readonly CompiledBranch[]
}

/** One action of an action, or a list of them. */
interface CompiledBranch extends CompiledActions {
  readonly name: string
}

/** The actions of an operation. */
export interface CompiledActions {
  /** At least one. */
  readonly all: readonly CompiledAction[]
  readonly isList: boolean
}

/** What compiling an action needs. */
interface ActionPorts {
  readonly findings: Findings
  readonly interner: Interner
  /** The forms of the operation's path; empty when it is broken. */
  readonly forms: readonly KeyedForm[]
  readonly reading: PathReading
}

/**
 * Compiles `action`; undefined when an action is too broken.
 * @param pathOf the JSON Pointer at which a member of `action` is written
 */
export function compileActions(
  method: Method,
  node: Node,
  pathOf: (...keys: readonly string[]) => string,
  ports: ActionPorts,
): CompiledActions | undefined {
  const items = itemsOf(node)
  const all: CompiledAction[] = []
  for (const [index, item] of (items ?? [node]).entries()) {
    const above = items ? [String(index)] : []
    const allowsNone = method === 'options' && items === undefined
    const members = knownMembers(item, () => pathOf(...above), ports.findings)
    if (members === undefined) continue
    const pathOfKey: CompiledAction['pathOf'] = (...keys) => pathOf(...above, ...keys)
    const plan = compileAction(members, pathOfKey, allowsNone, ports)
    const branches = plan && compileBranches(plan.kind, members, pathOfKey, ports)
    if (plan && branches) all.push({ members, plan, pathOf: pathOfKey, branches })
  }
  const isWhole = all.length > 0 && all.length === (items ?? [node]).length
  return isWhole ? { all, isList: items !== undefined } : undefined
}

/** What an action performs; undefined when an action of it is too broken. */
function compileBranches(
  { branches }: ActionKind,
  members: Members,
  pathOf: (...keys: readonly string[]) => string,
  ports: ActionPorts,
): readonly CompiledBranch[] | undefined {
  if (branches === undefined) return []
  const { field, of } = branches
  const node = members.get(field)
  if (node === undefined) return undefined
  const named =
    of === 'items'
      ? new Map([[field, node]])
      : knownMembers(node, () => pathOf(field), ports.findings)
  const all: CompiledBranch[] = []
  for (const [name, one] of named ?? []) {
    const above = of === 'items' ? [field] : [field, name]
    const actions = compileActions('get', one, (...keys) => pathOf(...above, ...keys), ports)
    if (actions === undefined) return undefined
    all.push({ name, ...actions })
  }
  return named && all
}

/** All actions: behind each one those that it performs. */
export const actionsIn = (actions: readonly CompiledAction[]): readonly CompiledAction[] =>
  actions.flatMap((action) => [action, ...action.branches.flatMap(({ all }) => all)])

/** Where an action writes kwargs. */
const kwargsKeys = [
  ['kwargs'],
  ['arguments_kw'],
  ['snapshot', 'kwargs'],
  ['snapshot', 'arguments_kw'],
] as const

/**
 * The name under which the kwargs of an action carry the trace context; undefined for an action without kwargs. Kwargs of the document
 * may not have an argument of that name; one that only the request gives is left out when the action is performed.
 * @param name `trace.kwargs` where the action stands
 */
export function traceNameOf(
  { members, plan, pathOf }: CompiledAction,
  name: string | undefined,
  issues: Issue[],
): string | undefined {
  if (name === undefined || plan.kind.reaches?.by !== 'wamp') return undefined
  const message = `trace.kwargs gives the name ${name} to the trace context of the request: choose another name for one of them`
  for (const keys of kwargsKeys) {
    const [first, ...below] = keys
    const kwargs = below.reduce((found, key) => found && member(found, key), members.get(first))
    if (kwargs && keysOf(kwargs)?.includes(name))
      issues.push({ path: pathOf(...keys, name), message })
  }
  return name
}

type NamedNodes = readonly (readonly [name: string, node: Live])[]

function namesOf(computed: NamedNodes, interner: Interner): ReadonlySet<string> {
  const names = computed.flatMap(([name, field]) => {
    // only these may not be named by a request without more ado
    const isNamed = name === 'snapshot' && member(field, 'procedure')?.kind !== 'constant'
    return isNamed ? [name, 'snapshot.procedure'] : [name]
  })
  return interner.share(`names ${names}`, () => new Set(names))
}

/** The members of an action; undefined where it is no map, which is reported. */
function knownMembers(node: Node, at: () => string, { issues }: Findings): Members | undefined {
  const members = membersOf(node)
  if (members === undefined && node.kind === 'deferred') {
    issues.push({ path: at(), message: 'an action must be a map that is known at load' })
  }
  return members
}

/** @param allowsNone whether the action may be `{}` */
function compileAction(
  members: Members,
  pathOf: (...keys: readonly string[]) => string,
  allowsNone: boolean,
  { findings, interner, forms, reading }: ActionPorts,
): PartialPlan | undefined {
  const fixed: Record<string, unknown> = {}
  const computed: [string, Live][] = []
  // elsewhere validation or checkFolded has reported it
  if (members.size === 0 && allowsNone) {
    return planOf(noAction, fixed, computed, interner)
  }
  const at = pathOf()
  const kind = kindIn(members, at, findings.issues)
  if (kind === undefined) return undefined
  for (const name of Object.keys(kind.fields)) {
    const form = kind.fields[name]
    const value = form === 'strip_prefix' ? undefined : members.get(name)
    if (form === undefined || value === undefined) continue
    const place = { name, path: pointer(at, name), kind, action: members, forms, reading }
    const field = compilers[form]?.(value, place, findings) ?? value
    if (field.kind === 'broken') continue
    if (field.kind === 'constant') fixed[name] = field.value
    else computed.push([name, field])
  }
  const stripped =
    kind.fields.strip_prefix && ownPath(members, pathOf, findings, { forms, reading })
  if (stripped) computed.push(['path', stripped])
  return planOf(kind, fixed, computed, interner)
}

const planOf = (
  kind: ActionKind,
  fixed: Readonly<Record<string, unknown>>,
  computed: NamedNodes,
  interner: Interner,
): PartialPlan => ({
  ...{ kind, fixed, computed },
  type: kind.type as PartialPlan['type'],
  computedNames: namesOf(computed, interner),
})

function kindIn(members: Members, path: string, issues: Issue[]): ActionKind | undefined {
  const type = members.get('type')
  if (type && type.kind !== 'constant' && type.kind !== 'broken') {
    const message = 'the type of an action must be known at load'
    issues.push({ path: pointer(path, 'type'), message })
  }
  return type?.kind === 'constant' ? kindOf(type.value) : undefined
}
