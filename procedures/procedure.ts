/** What a management procedure is: one definition from which its WAMP face and its HTTP mirrors are made. */
import { ServiceError } from '#component/errors.ts'
import type { Realms } from '#component/realm/realms.ts'
import type { Conditions } from '#component/registry/conditions.ts'
import type { Registry } from '#component/registry/registry.ts'

/** What the procedures work on. */
export interface Management {
  readonly registry: Pick<
    Registry,
    'load' | 'validate' | 'get' | 'info' | 'list' | 'remove' | 'versions' | 'rollback'
  >
  readonly realms: Pick<Realms, 'load' | 'get' | 'list'>
  /** Why nothing may be changed now, such as that the other nodes would not hear of it; undefined when it may. */
  refusal(): ServiceError | undefined
  /** After a change: the other processes of this gateway have it, too, when it resolves, unless one does not answer. */
  spread?(): Promise<void>
  /** How this node is doing among the others; JSON. */
  status(): unknown
}

/** Who asks a procedure, and on which conditions. */
export interface Asking {
  /** For the log. */
  readonly by: string
  /** What must hold for a change to be made; over HTTP only. */
  readonly conditions?: Conditions
}

/** JSON types that parameters are restricted to; what is wrong in a document is found by its own validation. */
type ParameterType = 'string' | 'document'

/** One parameter: all are required. */
interface Parameter {
  readonly name: string
  readonly type: ParameterType
}

/** A REST path that does what the procedure does; its bindings are the parameters of the same name, the body has the others. */
export interface Mirror {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** `/api_specs/:id` */
  readonly path: string
  /** The status instead of the answer's; 204 sends no body. */
  readonly status?: 204
}

/** What a procedure answers. */
export interface Answer {
  /** args[0] of the WAMP result; the body over HTTP. */
  readonly value: unknown
  /** The HTTP status; 200 when absent. */
  readonly status?: 201
  /** HTTP header fields, lower-case names. */
  readonly headers?: Readonly<Record<string, string>>
}

/** One management procedure (behaviour: Management). */
export interface Procedure {
  /** `service.<name>`; over HTTP it is `POST /services/<name>`. */
  readonly uri: `service.${string}`
  readonly parameters: readonly Parameter[]
  /** What a caller must be allowed to: change things, or only see them. */
  readonly access: 'load' | 'read'
  /** Does what a change does, and changes nothing: it is never refused for the time being. */
  readonly isRehearsal?: true
  /** Over HTTP the body is the one parameter itself, not an object of named ones. */
  readonly isBodyDocument?: true
  readonly mirrors: readonly Mirror[]
  /**
   * What it does; to be asked by {@link perform}.
   * @param args as many as there are parameters, of their types
   * @throws ServiceError
   */
  handler(
    management: Management,
    args: readonly unknown[],
    asking: Asking,
  ): Answer | Promise<Answer>
}

/** Asks a procedure, unless it would change something while nothing may be changed. @throws ServiceError */
export async function perform(
  procedure: Procedure,
  management: Management,
  args: readonly unknown[],
  asking: Asking,
): Promise<Answer> {
  const isChange = procedure.access === 'load' && !procedure.isRehearsal
  const refusal = isChange ? management.refusal() : undefined
  if (refusal) throw refusal
  const answer = await procedure.handler(management, args, asking)
  if (isChange) await management.spread?.()
  return answer
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Uint8Array)

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Uint8Array) return 'bytes'
  return typeof value === 'bigint' ? 'number' : typeof value
}

const refuse = (message: string) => new ServiceError('wamp.error.invalid_argument', message)

const count = (number: number) => `${number} argument${number === 1 ? '' : 's'}`

const listed = (procedure: Procedure) =>
  procedure.parameters.length === 0
    ? ''
    : ` (${procedure.parameters.map(({ name }) => name).join(', ')})`

function checkTypes(procedure: Procedure, args: readonly unknown[]): readonly unknown[] {
  for (const [index, { name, type }] of procedure.parameters.entries()) {
    const value = args[index]
    if (type === 'string' && typeof value !== 'string') {
      throw refuse(`${name}: found ${typeOf(value)}, expected string`)
    }
  }
  return args
}

function byName(procedure: Procedure, kwargs: Readonly<Record<string, unknown>>): unknown[] {
  const names = procedure.parameters.map(({ name }) => name)
  const given = Object.keys(kwargs)
  // what is surplus is counted, not named: names that callers send are their data
  if (given.length !== names.length || !names.every((name) => Object.hasOwn(kwargs, name))) {
    throw refuse(
      `found ${count(given.length)} by name, expected ${count(names.length)}${listed(procedure)}`,
    )
  }
  return names.map((name) => kwargs[name])
}

/**
 * The arguments of a WAMP call: args in the listed order, or kwargs by name.
 * @throws ServiceError `wamp.error.invalid_argument` for a wrong number or type
 */
export function argumentsOfCall(
  procedure: Procedure,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
): readonly unknown[] {
  const named = Object.keys(kwargs).length
  if (args.length === 0 && named > 0) return checkTypes(procedure, byName(procedure, kwargs))
  const found = args.length + named
  if (found !== procedure.parameters.length || named > 0) {
    throw refuse(
      `found ${count(found)}, expected ${count(procedure.parameters.length)}${listed(procedure)}`,
    )
  }
  return checkTypes(procedure, args)
}

/**
 * The arguments of a POST: the document itself, or an object of named parameters.
 * @param body the decoded body; undefined or `""` when there is none
 * @param bindings parameters that the path has
 * @throws ServiceError `wamp.error.invalid_argument` for a wrong number or type
 */
export function argumentsOfBody(
  procedure: Procedure,
  body: unknown,
  bindings: Readonly<Record<string, string>> = {},
): readonly unknown[] {
  const isEmpty = body === undefined || body === ''
  if (procedure.isBodyDocument) {
    if (isEmpty) throw refuse('found no body, expected a document')
    return checkTypes(procedure, [body])
  }
  const kwargs = isEmpty ? {} : body
  if (!isMap(kwargs)) {
    throw refuse(
      `found ${typeOf(kwargs)} as body, expected an object of parameters${listed(procedure)}`,
    )
  }
  for (const name of Object.keys(bindings)) {
    if (Object.hasOwn(kwargs, name)) throw refuse(`${name}: it is in the path already`)
  }
  return checkTypes(procedure, byName(procedure, { ...kwargs, ...bindings }))
}
