/** Compiles what requests and answers of an operation are checked against. */
import type { ActionKind } from '#component/action/kind.ts'
import { canonicalJson, pointer } from '#component/codec/json.ts'
import type { Findings } from '#component/compile/fold-check.ts'
import type { Interner } from '#component/compile/interner.ts'
import { type Literal, literalAt } from '#component/compile/literal-parts.ts'
import { bindingsOf } from '#component/compile/read-checks.ts'
import type { Node } from '#component/expression/compile.ts'
import { didYouMean } from '#component/expression/suggest.ts'
import type { CompiledPath, InheritedValues } from '#component/gateway/api.ts'
import { type RequestPart, requestParts } from '#component/gateway/schemas/mismatches.ts'
import { PartCheck, type RequestChecks } from '#component/gateway/schemas/request-checks.ts'
import type { ResponseCheck } from '#component/gateway/schemas/response-check.ts'
import type { Method } from '#component/request.ts'
import { appliedTo } from '#component/schema/coerce.ts'

import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import { isMap, type JsonMap, mapOrEmpty, memberOf } from '#component/syntax/values.ts'
import { type DocumentSchemas, isSchema, memberPlace } from './document-schemas.ts'

/** A path, as far as the schemas of its requests depend on it. */
interface CheckedPath {
  readonly document: JsonMap
  /** JSON Pointer. */
  readonly at: string
  readonly path: Pick<CompiledPath, 'pattern'>
  readonly forms: readonly KeyedForm[]
  readonly schemas: DocumentSchemas
  readonly interner: Interner
  readonly findings: Findings
}

/** An operation as it is written, and what it is compiled to. */
export interface WrittenOperation {
  readonly raw: unknown
  readonly node: Node
  /** JSON Pointer. */
  readonly at: string
}

/** Notes and checks the schemas of a path, which hold for its operations. */
export function checkPathSchemas(plan: CheckedPath): void {
  if (plan.document.request === undefined) return
  for (const part of requestParts) checkPart(part, ofPath(part, plan), plan)
}

function ofPath(part: RequestPart, { document, at }: CheckedPath): Literal | undefined {
  const value = memberOf(document.request, part)
  return value === undefined ? undefined : { value, at: pointer(at, 'request', part) }
}

/** Notes the schema of a part, and reports what no schema of this part may have. */
function checkPart(part: RequestPart, found: Literal | undefined, plan: CheckedPath): void {
  if (found === undefined) return
  plan.schemas.use(found.value, found.at)
  if (part === 'bindings') checkBindings(found, plan)
  if (part === 'headers') checkHeaders(found, plan)
}

/** A schema, and those that it refers to: their members by keyword, with their places. */
function* membersOf(
  { value, at }: Literal,
  { schemas }: CheckedPath,
): Generator<readonly [applied: JsonMap, placeOf: (...keys: readonly string[]) => string]> {
  for (const applied of appliedTo(value, schemas.named)) {
    yield [applied, (...keys) => memberPlace(applied === value, at, ...keys)]
  }
}

/** The names of properties in a schema, and their places. */
function* namesIn(
  applied: JsonMap,
  placeOf: (...keys: readonly string[]) => string,
): Generator<readonly [name: string, at: string]> {
  const { properties, required } = applied
  for (const name of isMap(properties) ? Object.keys(properties) : []) {
    yield [name, placeOf('properties', name)]
  }
  for (const [index, name] of (Array.isArray(required) ? required : []).entries()) {
    if (typeof name === 'string') yield [name, placeOf('required', String(index))]
  }
}

function checkBindings(found: Literal, plan: CheckedPath): void {
  const { forms, path, findings } = plan
  if (forms.length === 0) return
  const known = bindingsOf(forms)
  for (const [applied, placeOf] of membersOf(found, plan)) {
    for (const [name, at] of namesIn(applied, placeOf)) {
      if (known.includes(name)) continue
      const hint = didYouMean(name, known, findings.issues)
      const message = `the path ${path.pattern} does not bind ${JSON.stringify(name)}${hint}`
      findings.issues.push({ path: at, message })
    }
  }
}

function checkHeaders(found: Literal, plan: CheckedPath): void {
  const { issues } = plan.findings
  for (const [applied, placeOf] of membersOf(found, plan)) {
    for (const keyword of ['additionalProperties', 'unevaluatedProperties']) {
      if (!Object.hasOwn(applied, keyword)) continue
      const message = `${keyword} is not allowed for headers: clients send headers that nobody has asked for`
      issues.push({ path: placeOf(keyword), message })
    }
    for (const [name, at] of namesIn(applied, placeOf)) {
      const lower = name.toLowerCase()
      if (name === lower) continue
      const message = `expected the name of a header in lower case: ${JSON.stringify(lower)}`
      issues.push({ path: at, message })
    }
  }
}

/** Notes the schemas that examples expect their answers to fit. */
export function noteExampleSchemas({ raw, node, at }: WrittenOperation, plan: CheckedPath): void {
  const found = literalAt(raw, at, node, ['examples'], plan.findings.issues)
  if (found === undefined) return
  for (const [name, example] of Object.entries(mapOrEmpty(found.value))) {
    const expected = memberOf(example, 'expect')
    const at = pointer(found.at, name, 'expect')
    plan.schemas.use(memberOf(expected, 'body_matches'), pointer(at, 'body_matches'))
    const frames = memberOf(expected, 'frames')
    for (const [index, frame] of Array.isArray(frames) ? frames.entries() : []) {
      const schema = memberOf(frame, 'data_matches')
      plan.schemas.use(schema, pointer(at, 'frames', index, 'data_matches'))
    }
  }
}

/** The checks of a request; undefined where nothing is checked: OPTIONS never is. */
export function compileRequestChecks(
  method: Method,
  { raw, node, at }: WrittenOperation,
  { validates }: InheritedValues,
  plan: CheckedPath,
): RequestChecks | undefined {
  const isWritten = typeof raw === 'object' && raw !== null
  const hasOwn = !isWritten || Object.hasOwn(raw, 'request')
  if (!hasOwn && plan.document.request === undefined) return undefined
  const { schemas, interner, findings } = plan
  const { issues, warnings } = findings
  const own = (key: string): Literal | undefined =>
    literalAt(raw, at, node, ['request', key], issues)
  const parts: { readonly part: RequestPart; readonly schema: unknown }[] = []
  for (const part of requestParts) {
    const ofOperation = own(part)
    checkPart(part, ofOperation, plan)
    const found = ofOperation ?? (part === 'body' ? undefined : ofPath(part, plan))
    if (found && isSchema(found.value)) parts.push({ part, schema: found.value })
  }
  const required = own('body_required')
  const hasBody = parts.some(({ part }) => part === 'body')
  if (required && !hasBody) {
    warnings.push({ path: required.at, message: 'it has no effect without body' })
  }
  if (method === 'options') {
    if (parts.some((one) => own(one.part) !== undefined)) {
      const message = 'it has no effect: OPTIONS requests are never checked'
      warnings.push({ path: pointer(at, 'request'), message })
    }
    return undefined
  }
  const mode = validates.requests
  if (mode === 'off' || parts.length === 0) return undefined
  if (mode === 'enforce') schemas.features.add('request')
  const isBodyRequired = hasBody && required?.value !== false
  const key = `checks ${mode} ${isBodyRequired} ${canonicalJson(parts)}`
  return interner.share(key, () => ({
    mode,
    parts: parts.map(({ part, schema }) => new PartCheck(part, schemas.checkOf(schema))),
    isBodyRequired,
    sink: schemas.sink,
  }))
}

/** Notes the schemas of `responses`, which only describe answers, so that they are judged. */
export function noteDescribedSchemas(
  { raw, node, at }: WrittenOperation,
  { schemas, findings }: CheckedPath,
): void {
  const found = literalAt(raw, at, node, ['responses'], findings.issues)
  if (found === undefined) return
  for (const [response, place] of entriesOf(found.value, found.at)) {
    const parts = [
      [response, place] as const,
      ...entriesOf(memberOf(response, 'headers'), pointer(place, 'headers')),
    ]
    for (const [part, partAt] of parts) {
      const schema = memberOf(part, 'schema')
      if (schema !== undefined) schemas.use(schema, pointer(partAt, 'schema'))
    }
  }
}

const entriesOf = (map: unknown, at: string): (readonly [value: unknown, at: string])[] =>
  isMap(map) ? Object.entries(map).map(([key, value]) => [value, pointer(at, key)] as const) : []

/** Why answers are not checked, or not all of them; undefined where they are. */
function whyUnchecked(
  key: 'on_result' | 'on_error',
  unbound: readonly ActionKind[],
): string | undefined {
  if (key === 'on_error') {
    return unbound.some(({ passesOn }) => passesOn)
      ? 'errors of an upstream are passed on unread, so they are not checked: declare a body to have them checked'
      : undefined
  }
  const last = unbound.at(-1)
  if (last?.passesOn)
    return 'the response of the upstream is passed on unread, so it is not checked: declare a body to have it checked'
  return last?.reaches
    ? 'there is nothing to check: without the key body a success has an empty body'
    : undefined
}

/**
 * The check of an answer; undefined where none is checked.
 * @param key `on_result` or `on_error`
 * @param unbound the rows of the actions where the declaration has no body of its own; else none
 */
export function compileResponseCheck(
  key: 'on_result' | 'on_error',
  { raw, node, at }: WrittenOperation,
  { validates }: InheritedValues,
  unbound: readonly ActionKind[],
  { schemas, findings }: CheckedPath,
): ResponseCheck | undefined {
  const found = literalAt(raw, at, node, ['response', key, 'schema'], findings.issues)
  if (found === undefined) return undefined
  schemas.use(found.value, found.at)
  if (key === 'on_result' && unbound.at(-1)?.begins === 'events') {
    const message = 'a stream has no body that a schema could describe'
    findings.issues.push({ path: found.at, message })
  }
  const mode = validates.responses
  if (mode === 'off' || !isSchema(found.value)) return undefined
  const unchecked = whyUnchecked(key, unbound)
  if (unchecked) findings.warnings.push({ path: found.at, message: unchecked })
  if (mode === 'enforce') schemas.features.add('schema')
  return { at: found.at, mode, check: schemas.checkOf(found.value), sink: schemas.sink }
}
