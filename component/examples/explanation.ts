/** Adds to what does not hold why: the expression that failed, or what the expressions of that part saw. */
import type { CompilePorts } from '#component/compile/compile.ts'
import { ExpressionError, type Issue, type ServiceError } from '#component/errors.ts'
import type { Evaluated } from '#component/explain/recorder.ts'
import { type RehearsalPorts, Rehearser } from '#component/explain/rehearsal.ts'
import { watchPath } from '#component/explain/watched-path.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { shown } from './expectations.ts'
import { type Asked, rehearsedOf } from './stage.ts'

/** What explaining needs. */
export interface ExplainPorts {
  readonly compile: CompilePorts
  readonly rehearsal: RehearsalPorts
}

/**
 * Runs an example once more, with a recorder.
 * @param path JSON Pointer of its path in the document, which compiles
 */
export async function expressionsOf(
  document: JsonMap,
  path: string,
  asked: Asked,
  { compile, rehearsal }: ExplainPorts,
): Promise<readonly Evaluated[]> {
  const watched = watchPath(document, path, compile)
  if (watched === undefined) return []
  const rehearser = new Rehearser(watched.table, rehearsal, watched.recorder)
  return (await rehearser.run(rehearsedOf(asked))).expressions
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
  action: ['/action'],
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
    const isMember = part === 'action' || part === 'headers'
    const below = (places[part] ?? []).map(
      (place) => operation + place + (isMember && member !== '' ? `/${member}` : ''),
    )
    const lines = expressions
      .filter((each) => below.some((place) => isAtOrBelow(each.at, place)))
      .map(lineOf)
      .filter((line) => !told.has(line) && told.add(line))
    return lines.length > 0
      ? { ...problem, message: [problem.message, ...lines].join('\n') }
      : problem
  })
}

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
