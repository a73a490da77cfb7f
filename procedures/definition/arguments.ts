/** The arguments of a procedure, as they come over WAMP and over HTTP: counted, by name, of the right types. */
import { ServiceError } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Procedure } from './procedure.ts'

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Uint8Array) return 'bytes'
  return typeof value === 'bigint' ? 'number' : typeof value
}

const refuse = (message: string) => new ServiceError('wamp.error.invalid_argument', message)

const count = (number: number) => `${number} argument${number === 1 ? '' : 's'}`

const namesOf = ({ parameters }: Procedure) => parameters.map(({ name }) => name)

const requiredOf = ({ parameters }: Procedure) => parameters.filter((one) => !one.isOptional)

const listed = (procedure: Procedure) =>
  procedure.parameters.length === 0 ? '' : ` (${namesOf(procedure).join(', ')})`

function expected(procedure: Procedure): string {
  const [least, most] = [requiredOf(procedure).length, procedure.parameters.length]
  const numbers = least === most ? count(most) : `${least} to ${count(most)}`
  return `expected ${numbers}${listed(procedure)}`
}

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

function checkTypes(procedure: Procedure, args: readonly unknown[]): readonly unknown[] {
  for (const [index, { name, type, isOptional }] of procedure.parameters.entries()) {
    const value = args[index]
    if (isOptional && value === undefined) continue
    if (type === 'string' && typeof value !== 'string') {
      throw refuse(`${name}: found ${typeOf(value)}, expected string`)
    }
    if (type === 'object' && !isMap(value)) {
      throw refuse(`${name}: found ${typeOf(value)}, expected object`)
    }
    if (type === 'texts' && !isTexts(value)) {
      throw refuse(`${name}: found ${typeOf(value)}, expected an array of strings`)
    }
    if (type === 'integer' && !Number.isSafeInteger(value)) {
      throw refuse(`${name}: found ${typeOf(value)}, expected integer`)
    }
  }
  return procedure.parameters.map((_, index) => args[index])
}

function byName(procedure: Procedure, kwargs: Readonly<Record<string, unknown>>): unknown[] {
  const names = namesOf(procedure)
  const given = Object.keys(kwargs)
  const isWhole = requiredOf(procedure).every(({ name }) => Object.hasOwn(kwargs, name))
  // surplus arguments are counted, not named: their names are data of the caller
  if (!isWhole || !given.every((name) => names.includes(name))) {
    throw refuse(`found ${count(given.length)} by name, ${expected(procedure)}`)
  }
  return names.map((name) => (Object.hasOwn(kwargs, name) ? kwargs[name] : undefined))
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
  const isNumber =
    found >= requiredOf(procedure).length && found <= procedure.parameters.length && named === 0
  if (!isNumber) throw refuse(`found ${count(found)}, ${expected(procedure)}`)
  return checkTypes(procedure, args)
}

/** A parameter that is the whole body, with the members that the path has. */
function wholeBody(
  { parameters }: Procedure,
  name: string,
  body: unknown,
  bindings: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  if (!isMap(body)) throw refuse(`found ${typeOf(body)} as body, expected an object`)
  const isParameter = ([key]: [string, string]) => parameters.some((one) => one.name === key)
  const members = Object.entries(bindings).filter((binding) => !isParameter(binding))
  for (const [key, value] of members) {
    if (Object.hasOwn(body, key) && body[key] !== value) {
      throw refuse(`${key}: the path has another value`)
    }
  }
  const parts = Object.entries(bindings).filter(isParameter)
  return { ...Object.fromEntries(parts), [name]: { ...body, ...Object.fromEntries(members) } }
}

/**
 * The arguments of a POST or PUT: the document itself, a parameter, or an object of named parameters.
 * @param body the decoded body; undefined or `""` when there is none
 * @param bindings parameters that the path or the query has
 * @param bodyParameter the parameter that the body is
 * @throws ServiceError `wamp.error.invalid_argument` for a wrong number or type
 */
export function argumentsOfBody(
  procedure: Procedure,
  body: unknown,
  bindings: Readonly<Record<string, string>> = {},
  bodyParameter?: string,
): readonly unknown[] {
  if (bodyParameter !== undefined) {
    return checkTypes(
      procedure,
      byName(procedure, wholeBody(procedure, bodyParameter, body, bindings)),
    )
  }
  const isEmpty = body === undefined || body === ''
  if (procedure.isBodyDocument) {
    if (isEmpty) throw refuse('found no body, expected a document')
    const [, ...others] = namesOf(procedure)
    return checkTypes(procedure, [body, ...others.map((name) => bindings[name])])
  }
  const kwargs = isEmpty ? {} : body
  if (!isMap(kwargs)) {
    throw refuse(
      `found ${typeOf(kwargs)} as body, expected an object of parameters${listed(procedure)}`,
    )
  }
  for (const name of Object.keys(bindings)) {
    if (Object.hasOwn(kwargs, name)) throw refuse(`${name}: the path contains it already`)
  }
  return checkTypes(procedure, byName(procedure, { ...kwargs, ...bindings }))
}
