/** Compiles a procedure that a document registers: an operation that calls come to in the place of requests. */

import { pointer } from '#component/codec/json.ts'
import { targetOf } from '#component/compile/action-target.ts'
import {
  type CompiledAction,
  compileActions,
  traceNameOf,
} from '#component/compile/compile-action.ts'
import { credentialWarnings, type TakesUserToken } from '#component/compile/credential-warnings.ts'
import { checkFolded, type Findings, written as writtenAt } from '#component/compile/fold-check.ts'
import {
  first,
  type InheritedKey,
  inDefaults,
  isActionKey,
  type Lookup,
  lookupIn,
} from '#component/compile/inherited-values.ts'
import type { Interner } from '#component/compile/interner.ts'
import { compileMap, writtenOf } from '#component/compile/literal-parts.ts'
import { type HasUpstream, namedUpstreams } from '#component/compile/named-upstreams.ts'
import { checkReads } from '#component/compile/read-checks.ts'
import type { DocumentSchemas } from '#component/compile/schemas/document-schemas.ts'
import { isSchema } from '#component/compile/schemas/document-schemas.ts'
import { type Level, levelBelow, procedureLevel } from '#component/compile/scope.ts'
import { checkTokenReads } from '#component/compile/security/provider-token.ts'
import { type Members, membersOf } from '#component/expression/compile.ts'
import { constant } from '#component/expression/nodes.ts'
import type { Scope } from '#component/expression/scope.ts'
import type {
  ActionPlan,
  CompiledOperation,
  CompiledPath,
  CompiledVersion,
  Computed,
  InheritedValues,
  ResponsePlan,
  Route,
} from '#component/gateway/api.ts'
import { empty } from '#component/gateway/header-layers.ts'
import {
  type ErrorUris,
  type InputPlan,
  nodesOfProcedure,
  nodesOfProgress,
  type ProcedurePlan,
} from '#component/gateway/procedure-plan.ts'
import { invocationStages } from '#component/gateway/stages.ts'
import { inForce, invocationPolicyKinds } from '#component/policies/kinds.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { ApiSpec, Procedure } from '#component/spec/model.ts'
import { mapOrEmpty, memberOf } from '#component/syntax/values.ts'
import { isMatched } from '#component/syntax/wamp-uri.ts'

/** There is no path of a request. */
const noPath = { keepsSlashes: false, dropsFinalSlash: false }

/** What the procedures of a document share. */
export interface ProcedurePorts {
  readonly spec: ApiSpec
  readonly realm_uri: string
  /** Of the document. */
  readonly level: Level
  /** The part of a version that a procedure has: slots of its own. */
  readonly versionOf: (procedure: Procedure) => CompiledVersion
  readonly readValues: (lookup: Lookup, scope: Scope, action: Lookup | undefined) => InheritedValues
  readonly statusCodes: (level: Level) => ReadonlyMap<string, number>
  /** Receives the level of every procedure. */
  readonly levels: Set<Level>
  readonly schemas: DocumentSchemas
  readonly hasUpstream: HasUpstream | undefined
  readonly takesUserToken: TakesUserToken | undefined
  readonly findings: Findings
  readonly interner: Interner
}

const noMembers: Members = new Map()

const noResponse: ResponsePlan = {
  headers: {},
  layers: [],
  status: undefined,
  body: undefined,
  uri: undefined,
  extent: undefined,
  check: undefined,
}

/** Keys of policies that requests alone have, and of what a call does not have. */
const ofInvocations = new Set<string>([
  ...['timeout', 'connect_timeout', 'retries', 'retry_timeout', 'trace', 'validate_requests'],
  ...invocationPolicyKinds.map(({ key }) => key),
])

/** A call has no security object: the router has let its caller join. */
const open = { node: constant({}), path: '' }

const restricted =
  (lookup: Lookup): Lookup =>
  (key: InheritedKey) => {
    if (key === 'security') return open
    return ofInvocations.has(key) ? lookup(key) : undefined
  }

/** The members of `action.progress` of a forward. */
const ofForwards = ['number', 'data', 'event', 'id']

/** The procedures of a document compile one after the other. */
export class ProcedureCompiler {
  readonly #ports: ProcedurePorts
  readonly #level: Level
  readonly #errorUris: ErrorUris

  constructor(ports: ProcedurePorts) {
    this.#ports = ports
    this.#level = procedureLevel(ports.level)
    this.#errorUris = errorUrisOf(ports)
  }

  /** The entry of a procedure; without a route where its action is too broken. */
  compile(procedure: Procedure): RouteEntry<Route> {
    const { uri, match, invoke, path } = procedure
    const { id: api, realm_uri, host } = this.#ports.spec
    const operation = this.#operation(procedure)
    const method = operation && this.#isRead(operation.inherited) ? 'get' : 'post'
    const calls = operation ? (operation.steps ?? [operation.action]).flatMap(calledBy) : []
    return {
      ...{ api, realm_uri, host, pattern: uri, path },
      routes: operation ? { [method]: operation } : {},
      procedure: { uri, match, invoke, ...(calls.length > 0 && { calls }) },
    }
  }

  /** Whether equal calls may have one answer. */
  #isRead({ policies }: InheritedValues): boolean {
    return inForce(policies).some(([kind]) => kind.keepsAnswers)
  }

  #operation(procedure: Procedure): CompiledOperation | undefined {
    const { findings, interner, levels, schemas } = this.#ports
    const { issues, warnings } = findings
    const { document: raw, path: at, uri } = procedure
    const level = levelBelow(this.#level, { variables: mapOrEmpty(raw.variables) }, at, issues)
    levels.add(level)
    const operation = compileMap(raw, at, level.scope, issues)
    if (operation === undefined) return undefined
    checkFolded('registered_procedure', raw, operation, at, findings)
    const members = membersOf(operation) ?? noMembers
    const pathOf = (...keys: readonly string[]): string => writtenAt(raw, at, ...keys)
    const actionNode = members.get('action')
    const inAction = (...keys: readonly string[]): string => pathOf('action', ...keys)
    const ports = { findings, interner, forms: [], reading: noPath }
    const actions = actionNode && compileActions('post', actionNode, inAction, ports)
    if (actions === undefined) return undefined

    const version = this.#ports.versionOf(procedure)
    const ownKeys = lookupIn(members, (key) => pathOf(key))
    const defaults = inDefaults(level, findings)
    const lookup = restricted(first(ownKeys, defaults))
    const valuesOf = (action?: CompiledAction): InheritedValues => {
      const hasKeys = action && [...action.members.keys()].some(isActionKey)
      const ofAction = hasKeys ? lookupIn(action.members, (key) => action.pathOf(key)) : undefined
      return this.#ports.readValues(lookup, level.scope, ofAction)
    }
    const last = actions.all.at(-1) as CompiledAction
    const inherited = valuesOf(actions.isList ? undefined : last)
    const values = actions.all.map((action) => (actions.isList ? valuesOf(action) : inherited))
    const path: CompiledPath = {
      ...{ version, inherited, pattern: uri },
      ...{ isDeprecated: false, headers: {}, layer: empty, allow: '' },
    }
    const responses = this.#responses(members, pathOf)
    const outcomeNodes = nodesOfProcedure(responses)
    const written = raw.action
    const steps = actions.all.map((action, index): ActionPlan => {
      const ofList = Array.isArray(written) ? written[index] : written
      const { attempts, traceKwargs } = values[index] ?? inherited
      const { type, kind, fixed, computed, computedNames } = action.plan
      return {
        ...{ type, kind, computed, computedNames, attempts },
        fixed: { ...absentFields(action), ...fixed },
        target: targetOf(action, ofList, path),
        traceKwargs: traceNameOf(action, traceKwargs, issues),
        passesBody: false,
        readsAnswer: kind.passesOn,
        asksGet: false,
        branches: undefined,
      }
    })
    const nodes = [
      ...steps.flatMap(({ computed }) => computed.map(([, node]) => node)),
      ...values.flatMap(({ attempts }) => attempts.computed.map(([, { node }]) => node)),
      ...outcomeNodes,
    ]
    const policies = inForce(inherited.policies)
    const readable = {
      ...{ at, pattern: uri, forms: [], isList: actions.isList, protection: undefined },
      actions: steps.map(({ kind }) => kind),
      ...(last.plan.kind.begins !== 'progress' && { progress: ofForwards }),
    }
    const progress = nodesOfProgress(responses)
    const progressAt = pathOf('response', 'on_progress')
    const others = [progressAt]
    checkReads({ place: 'request', at, nodes, others }, readable, findings)
    checkReads({ place: 'progress', at: progressAt, nodes: progress }, readable, findings)
    const parts = [
      { at: pathOf('response'), nodes: [...outcomeNodes, ...progress] },
      ...policies.flatMap(([kind, plan]) => kind.evaluates(plan)),
    ]
    checkTokenReads({ actions: actions.all, inherited, others: parts }, issues)
    warnings.push(...namedUpstreams(actions.all, this.#ports))
    warnings.push(...credentialWarnings(actions.all, inherited, this.#ports))
    for (const [kind, plan] of policies) {
      if (kind.feature !== undefined) schemas.features.add(kind.feature)
      issues.push(...kind.refuseInvocations(plan))
    }
    if (responses.on_progress) {
      const { passesOn, begins } = last.plan.kind
      const needs =
        'on_progress needs one action whose response comes in pieces: a forward or a wamp_call'
      if (actions.isList || !(passesOn || begins === 'progress'))
        issues.push({ path: progressAt, message: needs })
      const kept =
        'a response that is sent in pieces is not kept: leave out on_progress, or the policy'
      if (this.#isRead(inherited)) issues.push({ path: progressAt, message: kept })
    }
    this.#checkSelf(procedure, actions.all)
    const action = steps.at(-1) as ActionPlan
    const input = this.#input(procedure, inherited)
    const method = this.#isRead(inherited) ? 'get' : 'post'
    const list = actions.isList ? steps : undefined
    const stages = invocationStages(
      {
        ...{ method, isTool: false, path, inherited, action, steps: list },
        ...{ checks: undefined, negotiated: undefined, streams: undefined, websocket: undefined },
        ...{ readsBody: false, keepsBody: false, passesToken: false },
      },
      input !== undefined,
    )
    const names = stages.map(({ name }) => name).join(' ')
    const callers = callersOf(raw.callers)
    return {
      ...{ at, path, inherited, action, steps: list },
      written: writtenOf(raw, operation),
      stages: interner.share(`invocation stages ${names}`, () => stages),
      checks: undefined,
      passesToken: false,
      readsBody: false,
      streamedBody: undefined,
      keepsBody: false,
      negotiated: undefined,
      checksType: false,
      on_result: noResponse,
      on_error: noResponse,
      encodings: undefined,
      streams: undefined,
      websocket: undefined,
      procedure: {
        ...{ uri, match: procedure.match, invoke: procedure.invoke, callers, input },
        isOfCaller: callers !== undefined || isOfCaller(nodes, steps),
        ...responses,
        errorUris: this.#errorUris,
      },
      status_codes: this.#ports.statusCodes(level),
    }
  }

  #responses(
    members: Members,
    pathOf: (...keys: readonly string[]) => string,
  ): Pick<ProcedurePlan, 'on_result' | 'on_error' | 'on_progress'> {
    const response = members.get('response')
    const declared = (key: string): Members => {
      const node = response && membersOf(response)?.get(key)
      if (node?.kind === 'deferred') {
        const message = 'a response declaration must be a map whose keys are known at load'
        this.#ports.findings.issues.push({ path: pathOf('response', key), message })
      }
      return (node && membersOf(node)) ?? noMembers
    }
    const computed = (key: string, name: string): Computed | undefined => {
      const node = declared(key).get(name)
      if (node === undefined || node.kind === 'broken') return undefined
      return { node, path: pathOf('response', key, name) }
    }
    return {
      on_result: { args: computed('on_result', 'args'), kwargs: computed('on_result', 'kwargs') },
      on_error: {
        uri: computed('on_error', 'error_uri'),
        args: computed('on_error', 'args'),
        kwargs: computed('on_error', 'kwargs'),
      },
      on_progress:
        declared('on_progress').size > 0
          ? { args: computed('on_progress', 'args'), kwargs: computed('on_progress', 'kwargs') }
          : undefined,
    }
  }

  #input({ document, path }: Procedure, { validates }: InheritedValues): InputPlan | undefined {
    const { schemas } = this.#ports
    const parts = (['args', 'kwargs'] as const).flatMap((part) => {
      const value = memberOf(document.input, part)
      if (!isSchema(value)) return []
      schemas.use(value, pointer(path, 'input', part))
      return [[part, value] as const]
    })
    const mode = validates.requests
    if (mode === 'off' || parts.length === 0) return undefined
    const checks = parts.map(([part, schema]) => [part, schemas.checkOf(schema)] as const)
    return { mode, parts: checks, sink: schemas.sink }
  }

  /** A call of the procedure that answers it. */
  #checkSelf({ uri, match }: Procedure, actions: readonly CompiledAction[]): void {
    for (const { plan, pathOf } of actions) {
      if (!calledBy(plan).some((called) => isMatched(called, uri, match))) continue
      const message = 'the procedure would call itself'
      this.#ports.findings.issues.push({ path: pathOf(plan.kind.reaches?.field ?? ''), message })
    }
  }
}

/** The procedure that an action calls, where it is known at load. */
function calledBy({ kind, fixed }: Pick<ActionPlan, 'kind' | 'fixed'>): readonly string[] {
  const { reaches } = kind
  const called = reaches?.label === 'procedure' ? fixed[reaches.field] : undefined
  return typeof called === 'string' ? [called] : []
}

/** What holds in place of the request, where the document says nothing. */
const absentFields = ({ plan, members }: CompiledAction): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(plan.kind.ofInvocations?.fields ?? {}).filter(([name]) => !members.has(name)),
  )

function callersOf(callers: unknown): ProcedurePlan['callers'] {
  if (callers === undefined) return undefined
  const texts = (key: string): ReadonlySet<string> => {
    const list = memberOf(callers, key)
    return new Set(Array.isArray(list) ? list : [])
  }
  return { roles: texts('roles'), authids: texts('authids') }
}

/** What tells callers apart. */
const callerReads = ['security', 'invocation.caller', 'invocation.details']

/** Whether an expression reads the caller, or an action acts for it. */
const isOfCaller = (
  nodes: readonly { readonly reads: readonly string[] }[],
  steps: readonly ActionPlan[],
): boolean =>
  steps.some(({ kind }) => kind.reaches?.isSent) ||
  nodes.some(({ reads }) =>
    reads.some(
      (read) =>
        read === 'invocation' ||
        callerReads.some((one) => read === one || read.startsWith(`${one}.`)),
    ),
  )

/** The error URIs of the document for statuses; two for one status are warned of, and none of them counts. */
function errorUrisOf({ spec, level, statusCodes, findings }: ProcedurePorts): ErrorUris {
  const ofStatus = new Map<number, string>()
  if (spec.procedures.length > 0) {
    const codes = statusCodes(level)
    const own = Object.keys(spec.status_codes).filter((uri) => codes.has(uri))
    for (const [status, uris] of Map.groupBy(own, (uri) => codes.get(uri) as number)) {
      const [uri, other] = uris
      if (uri !== undefined && other === undefined) ofStatus.set(status, uri)
      if (other === undefined || declaredOf(spec, status)) continue
      const message = `${uris.join(' and ')} have the status ${status}: callers of procedures get neither for it; name one in error_uris`
      findings.warnings.push({ path: '/status_codes', message })
    }
  }
  return { declared: new Map(Object.entries(spec.error_uris)), ofStatus }
}

const declaredOf = ({ error_uris }: ApiSpec, status: number): boolean =>
  Object.hasOwn(error_uris, String(status)) ||
  Object.hasOwn(error_uris, status < 500 ? '4XX' : '5XX')
