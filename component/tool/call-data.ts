/** The arguments of a tool as the data of a request: bindings, query parameters and a body; never a URL or a header. */
import { pointer, stringifyJson } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { type JsonMap, setOwn } from '#component/syntax/values.ts'

type Texts = Readonly<Record<string, string>>

/** What the request to an operation has of the arguments. */
export interface CallData {
  readonly bindings: Texts
  readonly query_params: Texts
  /** The items of a list one by one. */
  readonly query_lists: Readonly<Record<string, readonly string[]>>
  /** undefined: the request has none. */
  readonly body: JsonMap | undefined
}

/** What decides where an argument goes. */
export interface DataPlaces {
  /** The arguments that are bindings. */
  readonly bindings: ReadonlySet<string>
  /** Whether the others are query parameters; else they are the members of the body. */
  readonly isQuery: boolean
}

/** A request without arguments. */
export const noData: CallData = { bindings: {}, query_params: {}, query_lists: {}, body: undefined }

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : stringifyJson(value)

/** Divides arguments. Those of bindings are sound: {@link bindingIssues} has found nothing. */
export function dataOf(args: JsonMap, { bindings: bound, isQuery }: DataPlaces): CallData {
  const [bindings, query_params]: [Record<string, string>, Record<string, string>] = [{}, {}]
  const query_lists: Record<string, readonly string[]> = {}
  const body: Record<string, unknown> = {}
  for (const name of Object.keys(args)) {
    const value = args[name]
    if (bound.has(name)) setOwn(bindings, name, textOf(value))
    else if (isQuery) {
      setOwn(query_params, name, textOf(value))
      setOwn(query_lists, name, (Array.isArray(value) ? value : [value]).map(textOf))
    } else setOwn(body, name, value)
  }
  return { bindings, query_params, query_lists, body: isQuery ? undefined : body }
}

/** What bindings of paths cannot be: they are segments, and clients resolve dot segments (RFC 3986 §5.2.4). */
function bindingProblem(name: string, value: unknown): string | undefined {
  if (typeof value === 'object') return 'must be a text, a number, true or false'
  const text = textOf(value)
  // `[...]` is bound as rest, with several segments
  const segments = name === 'rest' ? text.split('/') : [text]
  if (segments.includes('')) return 'must not be empty'
  return segments.some((segment) => segment === '.' || segment === '..')
    ? 'must not be a dot segment'
    : undefined
}

/** What is wrong with the arguments that are bindings. */
export function bindingIssues(args: JsonMap, { bindings }: Pick<DataPlaces, 'bindings'>): Issue[] {
  const issues: Issue[] = []
  for (const name of Object.keys(args)) {
    const message = bindings.has(name) ? bindingProblem(name, args[name]) : undefined
    if (message !== undefined) issues.push({ path: pointer('', name), message })
  }
  return issues
}
