/** Adds to what does not hold why: the expression that failed, or what the expressions of that part saw. */
import type { CompilePorts } from '#component/compile/compile.ts'
import { ExpressionError, type Issue, type ServiceError } from '#component/errors.ts'
import type { Evaluated } from '#component/explain/recorder.ts'
import { type RehearsalPorts, Rehearser } from '#component/explain/rehearsal.ts'
import { watchPath } from '#component/explain/watched-path.ts'
import type { Route } from '#component/gateway/api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { shown } from './differences.ts'
import { type Asked, type AskedCall, rehearsedCallOf, rehearsedOf } from './stage.ts'

/** What explaining needs. */
export interface ExplainPorts {
  readonly compile: CompilePorts
  readonly rehearsal: RehearsalPorts
}

/** A document that has many failures tells of the expressions of the first ones: each costs another run. */
const mostExplained = 20

/** Tells of the expressions of examples that do not hold. */
export class Explanations {
  readonly #document: JsonMap
  readonly #ports: ExplainPorts
  #left = mostExplained
  /** The path that was compiled last: the examples of a path follow each other. */
  #last: { readonly path: string; readonly watched: Watched | undefined } | undefined

  /** @param document that compiles */
  constructor(document: JsonMap, ports: ExplainPorts) {
    this.#document = document
    this.#ports = ports
  }

  /**
   * Runs an example once more, with a recorder; undefined when enough has been told.
   * @param path JSON Pointer of its path, or of its procedure
   */
  async of(asked: Asked | AskedCall, path: string): Promise<readonly Evaluated[] | undefined> {
    if (this.#left === 0) return undefined
    this.#left -= 1
    if (this.#last?.path !== path) this.#last = { path, watched: this.#watch(path) }
    const { watched } = this.#last
    if (watched === undefined) return undefined
    const { rehearser, entry } = watched
    const rehearsal =
      'call' in asked
        ? await rehearser.call(entry, rehearsedCallOf(asked))
        : await rehearser.run(rehearsedOf(asked))
    return rehearsal.expressions
  }

  #watch(path: string): Watched | undefined {
    const { compile, rehearsal } = this.#ports
    const watched = watchPath(this.#document, path, compile)
    const [entry] = watched?.table.entries ?? []
    if (watched === undefined || entry === undefined) return undefined
    return { entry, rehearser: new Rehearser(watched.table, rehearsal, watched.recorder) }
  }
}

/** One path or procedure with a recorder. */
interface Watched {
  readonly rehearser: Rehearser
  readonly entry: RouteEntry<Route>
}

/** The problem, and why the gateway did not answer as declared; of an expression with its text and a caret. */
export function withError(problem: Issue, error: ServiceError): Issue {
  const reason = error instanceof ExpressionError ? error.detail : error.message
  return { ...problem, message: `${problem.message}; ${error.uri}: ${reason}` }
}

/** Where the parts of an answer are written, below the operation. */
const places: Readonly<Record<string, readonly string[]>> = {
  status: ['/response/on_result/status_code', '/response/on_error/status_code'],
  headers: ['/response/on_result/headers', '/response/on_error/headers'],
  body: ['/response/on_result/body', '/response/on_error/body', '/action/body'],
  body_matches: ['/response/on_result/body', '/response/on_error/body', '/action/body'],
  frames: [
    ...['/response/on_event', '/response/on_progress', '/response/on_snapshot'],
    ...['/response/on_result', '/response/on_error', '/action/filter'],
  ],
  action: ['/action'],
  result: ['/response/on_result', '/action/body'],
  error_uri: ['/response/on_error/error_uri', '/action'],
}

/**
 * The problems; the first one of each part of the answer tells what the expressions there saw.
 * @param at JSON Pointer of `expect`
 * @param operation JSON Pointer of the operation
 */
export function withValues(
  problems: readonly Issue[],
  expressions: readonly Evaluated[],
  at: string,
  operation: string,
): readonly Issue[] {
  const told = new Set<string>()
  return problems.map((problem) => {
    const [part = '', member = ''] = problem.path.slice(at.length + 1).split('/')
    const isMember = ['action', 'headers', 'result'].includes(part)
    const below = (places[part] ?? []).map(
      (place) => operation + place + (isMember && member !== '' ? `/${member}` : ''),
    )
    const own = expressions.filter((each) => below.some((place) => isAtOrBelow(each.at, place)))
    // where the part is a variable's, its expressions stand outside of the operation
    const seen =
      own.length > 0 ? own : expressions.filter((each) => isOfVariable(each, operation)).slice(-5)
    const lines = seen.map(lineOf).filter((line) => !told.has(line) && told.add(line))
    return lines.length > 0
      ? { ...problem, message: [problem.message, ...lines].join('\n') }
      : problem
  })
}

const isOfVariable = ({ at, stage }: Evaluated, operation: string): boolean =>
  stage === 2 && !isAtOrBelow(at, operation)

const isAtOrBelow = (path: string, place: string): boolean =>
  path.startsWith(place) && (path.length === place.length || path[place.length] === '/')

/** `{{…}}: read = value |> function = value` */
function lineOf({ expression, steps, value }: Evaluated): string {
  const parts = steps.map((step) => {
    const name = 'read' in step ? step.read : step.function
    return `${name} = ${'value' in step ? shown(step.value) : 'missing'}`
  })
  return `${expression}: ${parts.join(' |> ') || shown(value)}`
}
