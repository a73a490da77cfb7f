/** `explain`: what a request would do, by a running gateway or by a file alone. */
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
import type { JsonMap } from '#component/syntax/values.ts'
import { treeOf } from './explanation-tree.ts'

/** Most characters of a question. */
const longest = 64 * 1024 * 1024

const usage = (message: string) => new CommandError(exitCode.usage, message)

/** A text of an option, or of the file that it names by `@`. */
function textOf(invocation: Invocation, name: string): string | undefined {
  const text = invocation.option(name)
  return text?.startsWith('@') ? readBytes(text.slice(1)).toString('utf8') : text
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

/** The question. */
function askedOf(invocation: Invocation): JsonMap {
  const headers = headersOf(invocation)
  const data = textOf(invocation, 'data')
  const body = data === undefined || headers['content-type'] !== undefined ? data : json(data, '-d')
  const line = lineOf(invocation.positionals, data !== undefined)
  const as = asOf(invocation.option('as'))
  const outcome = textOf(invocation, 'outcome')
  return {
    request: { ...line, headers, ...(data !== undefined && { body }) },
    ...(as !== undefined && { as }),
    ...(outcome !== undefined && { outcome: json(outcome, '--outcome') }),
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
  const question = /^\/(request|as|outcome)\b/
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
    const { response, problem, outcomes = {} } = explanation
    const statuses = [{ response, problem }, ...Object.values(outcomes)].map(
      (run) => run.response?.status ?? run.problem?.status ?? 0,
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
