/** Runs the examples of a document, one after the other, within a time limit. */
import type { BodyCodec } from '#component/action/forward/body.ts'
import type { Clock } from '#component/clock.ts'
import { pointer } from '#component/codec/json.ts'
import { isDeliveryEntry } from '#component/delivery/requests/plan.ts'
import { type Issue, ServiceError } from '#component/errors.ts'
import type { Evaluated } from '#component/explain/recorder.ts'
import { unusedIn } from '#component/explain/unused-outcome.ts'
import type { AdmittedNetworks, Api, CompiledOperation, Route } from '#component/gateway/api.ts'
import { isAdmittedFrom } from '#component/gateway/checks.ts'
import type { ProcedurePlan } from '#component/gateway/procedure-plan.ts'
import { type Method, methods } from '#component/request.ts'
import { readEntry } from '#component/routes/entry-patterns.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { type JsonMap, mapOrEmpty } from '#component/syntax/values.ts'
import type { YieldTurn } from '#component/yielding.ts'
import { callOf } from './call.ts'
import { unmetByCall } from './call-expectations.ts'
import { deliveryProblems } from './delivery-examples.ts'
import type { SchemaCheck } from './differences.ts'
import { unmet } from './expectations.ts'
import { withError, withValues } from './explanation.ts'
import { requestOf, type Target } from './request.ts'
import type { Asked, AskedCall, CallStage, Stage } from './stage.ts'

/** One operation or procedure that is served, and its examples. */
interface ExampleSet {
  readonly method: Method
  readonly operation: CompiledOperation
  readonly entry: RouteEntry<Route>
  /** JSON Pointer of the path that the operation belongs to. */
  readonly pathAt: string
  /** By name, of valid shape; empty when the operation has none. */
  readonly examples: Readonly<Record<string, JsonMap>>
  /** JSON Pointer of the examples. */
  readonly path: string
}

/** The operations of a document, path by path, and its procedures. */
function* exampleSets(api: Api): Generator<ExampleSet> {
  for (const entry of api.entries) {
    for (const method of methods) {
      const operation = entry.routes[method]
      if (operation === undefined || operation.kind !== undefined) continue
      yield {
        ...{ method, operation, entry },
        pathAt: entry.path,
        examples: mapOrEmpty(operation.written.examples) as ExampleSet['examples'],
        path: pointer(operation.at, 'examples'),
      }
    }
  }
}

function targetOf(entry: RouteEntry<Route>, { inherited }: CompiledOperation): Target {
  const { host, forms } = readEntry(entry)
  const peer = inherited.allowFrom && admittedBy(inherited.allowFrom)
  const { pattern, keepsSlashes } = entry
  return { host, forms: forms.map(({ form }) => form), pattern, keepsSlashes, peer }
}

/** The first address that all lists admit; undefined where they have no network in common. */
const admittedBy = (lists: readonly AdmittedNetworks[]): string | undefined =>
  lists
    .flatMap(({ texts }) => texts.map((text) => text.split('/', 1).join()))
    .find((address) => isAdmittedFrom(address, lists))

/** How long the examples of a document may take; milliseconds. */
const longestRun = 10_000

/** What became of one example. */
export interface ExampleResult {
  /** JSON Pointer of the example. */
  readonly path: string
  readonly name: string
  readonly passed: boolean
  readonly problems: readonly Issue[]
}

/** What became of the examples of a document. */
export interface ExampleReport {
  /** How many examples hold. */
  readonly passed: number
  /** How many examples do not hold. */
  readonly failed: number
  /** How many operations and deliveries the document has. */
  readonly operations: number
  /** How many of them have no example. */
  readonly without: number
  /** JSON Pointers of the operations that have no example. */
  readonly uncovered: readonly string[]
  readonly results: readonly ExampleResult[]
}

/** The parts that running examples needs. */
export interface RunPorts {
  readonly stage: Stage
  readonly call: CallStage
  /**
   * Runs an example once more, and tells of its expressions; undefined where enough has been told.
   * @param path JSON Pointer of its path
   */
  explain(asked: Asked | AskedCall, path: string): Promise<readonly Evaluated[] | undefined>
  readonly check: SchemaCheck
  /** Of the bodies of deliveries. */
  readonly codec: BodyCodec
  /** The time that the run takes; the examples themselves see a clock that stands still. */
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Lets other work run between two examples. */
  readonly yieldTurn?: YieldTurn | undefined
  /** Only examples of this name. */
  readonly only?: string | undefined
}

/**
 * Runs the examples of a document.
 * @throws ServiceError 503 when they take too long; it names the example
 */
export async function runExamples(api: Api, ports: RunPorts): Promise<ExampleReport> {
  const { clock, only } = ports
  const end = clock.now() + longestRun
  const uncovered: string[] = []
  let operations = 0
  const results: ExampleResult[] = []
  for (const set of exampleSets(api)) {
    const names = Object.keys(set.examples)
    operations += 1
    if (names.length === 0) uncovered.push(set.operation.at)
    for (const name of names) {
      if (only !== undefined && name !== only) continue
      const path = pointer(set.path, name)
      await ports.yieldTurn?.()
      const problems = await within(() => problemsOf(set, name, path, ports), end, path, clock)
      results.push({ path, name, passed: problems.length === 0, problems })
    }
  }
  for (const { delivery } of api.entries.filter(isDeliveryEntry)) {
    const examples = mapOrEmpty(delivery.examples)
    const names = Object.keys(examples)
    operations += 1
    if (names.length === 0) uncovered.push(delivery.at)
    for (const name of names) {
      if (only !== undefined && name !== only) continue
      const path = pointer(delivery.at, 'examples', name)
      await ports.yieldTurn?.()
      if (clock.now() >= end) throw late(path)
      const problems = deliveryProblems(delivery, examples[name], path, ports.codec)
      results.push({ path, name, passed: problems.length === 0, problems })
    }
  }
  const passed = results.filter((result) => result.passed).length
  const counts = { passed, failed: results.length - passed, operations, without: uncovered.length }
  return { ...counts, uncovered, results }
}

/** The result, unless the time is over before it is there. */
async function within<T>(
  run: () => Promise<T>,
  end: number,
  path: string,
  clock: RunPorts['clock'],
): Promise<T> {
  const left = end - clock.now()
  if (left <= 0) throw late(path)
  let cancel = (): void => undefined
  const timeout = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(left, () => reject(late(path)))
  })
  try {
    return await Promise.race([run(), timeout])
  } finally {
    cancel()
  }
}

const late = (path: string): ServiceError =>
  new ServiceError(
    'service.error.unavailable',
    `the examples take longer than ${longestRun / 1000} seconds: the one at ${path} was not run to its end`,
  )

/** What does not hold of an example. */
async function problemsOf(
  set: ExampleSet,
  name: string,
  path: string,
  ports: RunPorts,
): Promise<readonly Issue[]> {
  const { operation, entry, examples } = set
  const example = mapOrEmpty(examples[name])
  const unused = unusedIn(example.outcome, operation, pointer(path, 'outcome'))
  if (unused.length > 0) return unused
  return entry.procedure
    ? problemsOfCall(set, example, name, path, ports)
    : problemsOfRequest(set, example, name, path, ports)
}

/** What does not hold of the example of a procedure. */
async function problemsOfCall(
  { operation, entry, pathAt }: ExampleSet,
  { invocation, outcome, expect }: JsonMap,
  name: string,
  path: string,
  { call, explain }: RunPorts,
): Promise<readonly Issue[]> {
  const plan = operation.procedure as ProcedurePlan
  const called = callOf(mapOrEmpty(invocation), plan, pointer(path, 'invocation'))
  if ('issue' in called) return [called.issue]
  const asked = { call: called, outcome, seed: name }
  const answered = await call(entry, asked)
  const at = pointer(path, 'expect')
  const problems = unmetByCall(mapOrEmpty(expect), answered, at)
  if (problems.length === 0) return []
  const expressions = await explain(asked, pathAt)
  return expressions ? withValues(problems, expressions, at, operation.at) : problems
}

/** What does not hold of the example of an operation. */
async function problemsOfRequest(
  { method, operation, entry, pathAt }: ExampleSet,
  { request: written, as, outcome, expect }: JsonMap,
  name: string,
  path: string,
  { stage, check, explain }: RunPorts,
): Promise<readonly Issue[]> {
  const target = targetOf(entry, operation)
  const request = requestOf(mapOrEmpty(written), target, pointer(path, 'request'))
  if ('issue' in request) return [request.issue]
  const asked = { request: { ...request, method }, as, outcome, seed: name }
  const answered = await stage(asked)
  if (answered.servedBy !== operation.at) {
    const { servedBy, refusal } = answered
    const why = servedBy === undefined && typeof refusal === 'string' ? `: ${refusal}` : ''
    const message = `the request ${method.toUpperCase()} ${request.path} is served by ${servedBy ?? `no operation of this document${why}`}`
    return [{ path: pointer(path, 'request'), message }]
  }
  const at = pointer(path, 'expect')
  const problems = unmet(mapOrEmpty(expect), answered, at, check)
  const [first, ...others] = problems
  if (first === undefined) return []
  if (answered.error) return [withError(first, answered.error), ...others]
  const expressions = await explain(asked, pathAt)
  return expressions ? withValues(problems, expressions, at, operation.at) : problems
}
