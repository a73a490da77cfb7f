/** The scope and the context that a table of cases describes under `given`. */
import { ExpressionError, type Issue } from '#component/errors.ts'
import { compile, type Node } from '#component/expression/compile.ts'
import type { Context } from '#component/expression/nodes.ts'
import type { Probe } from '#component/expression/probe/probe.ts'
import { Scope, type SpecEntry } from '#component/expression/scope.ts'
import { requestKeys } from '#component/request.ts'

/** `given`: everything is optional. */
export interface Given {
  readonly variables?: object
  readonly defaults?: object
  readonly status_codes?: object
  readonly request?: object
  readonly action?: object
  readonly security?: object
}

const entriesOf = (name: string, values: object = {}): ReadonlyMap<string, SpecEntry> =>
  new Map(Object.entries(values).map(([key, value]) => [key, { value, path: `/${name}/${key}` }]))

/** The maps of a specification, and the shapes of the data as the gateway knows them. */
export function scopeOf(given: Given, probe?: Probe): Scope {
  return new Scope(
    {
      variables: entriesOf('variables', given.variables),
      defaults: entriesOf('defaults', given.defaults),
      status_codes: entriesOf('status_codes', given.status_codes),
    },
    { request: { keys: requestKeys }, action: { keys: ['result', 'error'] }, security: {} },
    probe,
  )
}

/** Compiles every variable, used or not. */
export function compileVariables(scope: Scope, issues: Issue[]): void {
  for (const key of scope.map('variables')?.keys() ?? []) {
    scope.compileEntry('variables', key, issues)
  }
}

/** The data of one request; random() is always in the middle. */
export function contextOf(given: Given): Context {
  return {
    request: given.request ?? {},
    action: given.action ?? {},
    security: given.security ?? {},
    random: () => 0.5,
  }
}

/** Stage 1 of one value. */
export function stage1(
  value: unknown,
  given: Given,
  probe?: Probe,
): { node: Node; issues: Issue[] } {
  const issues: Issue[] = []
  return { node: compile(value, '/value', scopeOf(given, probe), issues), issues }
}

/** How a value ended: in which stage, with which value or message. */
export interface Ending {
  readonly stage1: 'value' | 'deferred'
  readonly result?: unknown
  /** The failure as the log tells it. */
  readonly error?: string
  /** The failure as the client sees it, when it is owed to the request. */
  readonly ofRequest?: string
}

/** Both stages of one value. */
export function evaluateText(value: unknown, given: Given, probe?: Probe): Ending {
  const { node, issues } = stage1(value, given, probe)
  if (issues.length > 0) {
    return {
      stage1: 'value',
      error: issues.map(({ path, message }) => `${path}: ${message}`).join('\n'),
    }
  }
  if (node.kind === 'broken') throw new TypeError('broken without an issue')
  if (node.kind === 'constant') return { stage1: 'value', result: node.value }
  try {
    return { stage1: 'deferred', result: node.evaluate(contextOf(given)) }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    const isOfRequest = error.uri === 'service.error.http_gateway.invalid_request'
    return {
      stage1: 'deferred',
      error: error.detail,
      ...(isOfRequest && { ofRequest: error.message }),
    }
  }
}
