/** `explain`: what a request or a call would do, by a running gateway or by a file alone. */
import { AdminClient, Refusal } from '#component/cli/admin-client.ts'
import {
  CommandError,
  exitCode,
  type Invocation,
  type Result,
  type Run,
} from '#component/cli/command.ts'
import { readBytes, readSource, type SourceFile } from '#component/cli/source-file.ts'
import { parseJson, stringifyJson } from '#component/codec/json.ts'
import { trustedRules } from '#component/codec/limits.ts'
import { InvalidSpecError, messageOf } from '#component/errors.ts'
import type { Explanation } from '#component/explain/explanation/explanation.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { treeOf } from './explanation-tree.ts'

/** Most characters of a question. */
const longest = 64 * 1024 * 1024

const usage = (message: string) => new CommandError(exitCode.usage, message)

/** The text itself, or that of the file that it names by `@`. */
const textAt = (text: string): string =>
  text.startsWith('@') ? readBytes(text.slice(1)).toString('utf8') : text

/** The text of an option. */
function textOf(invocation: Invocation, name: string): string | undefined {
  const text = invocation.option(name)
  return text === undefined ? undefined : textAt(text)
}

function json(text: string, option: string): unknown {
  try {
    return parseJson(text, trustedRules)
  } catch (cause) {
    throw new CommandError(exitCode.data, `${option}: ${messageOf(cause)}`, { cause })
  }
}

/** `GET /orders/7?x=1`, `/orders/7`, or with `https://host` before the path. @throws CommandError */
function lineOf(words: readonly string[], hasBody: boolean): JsonMap {
  const [first = '', second, third] = words.join(' ').trim().split(/\s+/)
  const [method, target] =
    second === undefined ? [hasBody ? 'POST' : 'GET', first] : [first, second]
  const [, scheme, host, path = '/'] = /^(?:(https?):\/\/([^/?]*))?(\/.*)?$/.exec(target) ?? []
  if (third !== undefined || (host === undefined && path !== target))
    throw usage(`expected a request such as "GET /orders/7?x=1"; found "${words.join(' ')}"`)
  return { method: method.toLowerCase(), path, ...(host !== undefined && { scheme, host }) }
}

function headersOf(invocation: Invocation): Record<string, string> {
  const fields = invocation.options('header').map((field) => {
    const colon = field.indexOf(':')
    if (colon < 1) throw usage('-H: expected "Name: value"')
    return [field.slice(0, colon).trim().toLowerCase(), field.slice(colon + 1).trim()]
  })
  return Object.fromEntries(fields)
}

/** `anonymous`, `ada`, `ada:staff,admin`. */
function asOf(text: string | undefined): unknown {
  if (text === undefined || text === 'anonymous') return text
  const colon = text.indexOf(':')
  if (colon < 0) return { authid: text }
  return {
    authid: text.slice(0, colon),
    authroles: text
      .slice(colon + 1)
      .split(',')
      .filter(Boolean),
  }
}

/** Arguments of `-d`: a list is `args`, a map `kwargs`; given twice, one of each. @throws CommandError */
function argumentsOf(invocation: Invocation): JsonMap {
  const given = invocation.options('data').map((text) => {
    const value = json(textAt(text), '-d')
    if (Array.isArray(value)) return ['args', value] as const
    if (isMap(value)) return ['kwargs', value] as const
    throw usage('-d: expected a list of arguments, or a map of arguments by name')
  })
  if (new Set(given.map(([name]) => name)).size < given.length)
    throw usage('-d: expected one list of arguments and one map of arguments by name at most')
  return Object.fromEntries(given)
}

/** `CALL com.example.order.get`: the question about a call; undefined: it is about a request. @throws CommandError */
function askedOfCall(invocation: Invocation): JsonMap | undefined {
  const [first = '', procedure, third] = invocation.positionals.join(' ').trim().split(/\s+/)
  if (first.toUpperCase() !== 'CALL') return undefined
  if (procedure === undefined || third !== undefined)
    throw usage('expected a call such as "CALL com.example.order.get"')
  if (invocation.options('header').length > 0) throw usage('-H: a call has no header fields')
  const as = asOf(invocation.option('as'))
  const caller = isMap(as) ? { caller: as } : {}
  return { invocation: { procedure, ...argumentsOf(invocation), ...caller } }
}

/** The question. */
function askedOf(invocation: Invocation): JsonMap {
  const outcome = textOf(invocation, 'outcome')
  return {
    ...(askedOfCall(invocation) ?? askedOfRequest(invocation)),
    ...(outcome !== undefined && { outcome: json(outcome, '--outcome') }),
  }
}

function askedOfRequest(invocation: Invocation): JsonMap {
  if (invocation.options('data').length > 1) throw usage('-d: a request has one body')
  const headers = headersOf(invocation)
  const [given] = invocation.options('data')
  const data = given === undefined ? undefined : textAt(given)
  const body = data === undefined || headers['content-type'] !== undefined ? data : json(data, '-d')
  const line = lineOf(invocation.positionals, data !== undefined)
  const as = asOf(invocation.option('as'))
  return {
    request: { ...line, headers, ...(data !== undefined && { body }) },
    ...(as !== undefined && { as }),
  }
}

/** @throws Refusal, CommandError, InvalidSpecError */
async function answerTo(
  asked: JsonMap,
  source: SourceFile | undefined,
  invocation: Invocation,
): Promise<Explanation> {
  const { environment } = invocation
  const isRemote = invocation.option('admin') ?? environment.WAMP_GATEWAY_ADMIN
  if (source && isRemote === undefined) {
    const { explainAlone } = await import('./explain-alone.ts')
    return explainAlone(asked, source.document, environment)
  }
  const question = { ...asked, ...(source && { api_spec: source.document }) }
  const client = new AdminClient(invocation)
  const { body } = await client.request('POST', '/explain', stringifyJson(question, longest))
  return body as Explanation
}

/** What is wrong: in the file, as findings; elsewhere, in the question. */
function refused(cause: unknown, source: SourceFile | undefined): Result {
  const isRefusal = cause instanceof Refusal || cause instanceof InvalidSpecError
  if (!isRefusal) throw cause
  const question = /^\/(request|invocation|as|outcome)\b/
  const wrong = cause.issues.filter(({ path }) => question.test(path))
  if (!source || wrong.length > 0 || cause.issues.length === 0) {
    const [issue] = wrong
    throw issue ? usage(`${issue.path}: ${issue.message}`) : cause
  }
  const findings = source.findings('error', cause.issues)
  return { value: { findings }, text: '', findings, code: exitCode.findings }
}

/** `explain`: the explanation; `{findings}` for a file that does not load. Exit code 1 for an answer of 500 or above. */
export const explain: Run = async (invocation) => {
  const asked = askedOf(invocation)
  const file = invocation.option('spec')
  const source = file === undefined ? undefined : readSource(file)
  try {
    const explanation = await answerTo(asked, source, invocation)
    const statuses = [explanation, ...Object.values(explanation.outcomes ?? {})].map(
      ({ response, problem }) => response?.status ?? problem?.status ?? 0,
    )
    return {
      value: explanation,
      text: treeOf(explanation),
      findings: [],
      code: statuses.some((status) => status >= 500) ? exitCode.findings : exitCode.ok,
    }
  } catch (cause) {
    return refused(cause, source)
  }
}
