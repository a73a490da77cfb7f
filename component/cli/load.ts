/** `load`: loads API Specifications from files into a running gateway. */
import { stringifyJson } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { type ExamplesMode, examplesModes } from '#component/examples/modes.ts'
import type { AddedPath } from '#component/gateway/added-paths.ts'
import { isMap } from '#component/syntax/values.ts'
import { inProgress } from '#component/terminal/progress.ts'
import { addedLines } from './added.ts'
import { AdminClient, type Condition, Refusal } from './admin-client.ts'
import { CommandError, exitCode, type Invocation, type Run } from './command.ts'
import { conditionOf } from './documents.ts'
import type { Finding } from './findings.ts'
import { kindOf, readSource, type SourceFile } from './source-file.ts'

/** Most characters of a document that is sent. */
const longestDocument = 64 * 1024 * 1024

/** What came of one file. */
export interface LoadResult {
  readonly file: string
  readonly outcome: 'loaded' | 'refused'
  readonly id?: unknown
  /** Of a load: its stamp. */
  readonly ts?: unknown
  /** Of a refusal: `code` of the error. */
  readonly error?: string
  /** Absent where the document adds no paths. */
  readonly added?: readonly AddedPath[]
  readonly findings: readonly Finding[]
}

/**
 * Loads the document of a file.
 * @param examples what the gateway does about examples that fail
 * @throws CommandError for what is not about the document, such as credentials
 */
export const loadSource = (
  client: AdminClient,
  source: SourceFile,
  condition?: Condition,
  examples: ExamplesMode = 'off',
): Promise<LoadResult> =>
  send(client, `/api_specs${examples === 'off' ? '' : `?examples=${examples}`}`, source, condition)

/** Loads the realm document of a file. Throws as {@link loadSource} does. */
export const loadRealm = (
  client: AdminClient,
  source: SourceFile,
  condition?: Condition,
): Promise<LoadResult> => send(client, '/realms', source, condition)

/** Has the gateway judge a document as a load does, without loading it. Throws as {@link loadSource} does. */
export const validateSource = (client: AdminClient, source: SourceFile): Promise<LoadResult> =>
  send(client, '/services/validate_api_spec', source)

const realmIssue: Issue = {
  path: '',
  message:
    'this is a realm document, no API Specification: wamp-gateway realm load loads it, or name its file in realms of the configuration',
}

const issuesOf = ({ issues, message }: Refusal): readonly Issue[] =>
  issues.length > 0 ? issues : [{ path: '', message }]

async function send(
  client: AdminClient,
  path: string,
  source: SourceFile,
  condition?: Condition,
): Promise<LoadResult> {
  const { file, document } = source
  try {
    const text = stringifyJson(document, longestDocument)
    const { body } = await client.request('POST', path, text, condition)
    const { id, uri, ts, warnings, added } = isMap(body) ? body : {}
    const paths = Array.isArray(added) && { added: added as readonly AddedPath[] }
    const issues = Array.isArray(warnings) ? (warnings as readonly Issue[]) : []
    return {
      file,
      outcome: 'loaded',
      id: id ?? uri,
      ts,
      ...paths,
      findings: source.findings('warning', issues),
    }
  } catch (cause) {
    if (!(cause instanceof Refusal) || cause.code !== exitCode.findings) throw cause
    const issues =
      kindOf(document) === 'realm' && path !== '/realms' ? [realmIssue] : issuesOf(cause)
    const findings = source.findings('error', issues)
    return { file, outcome: 'refused', error: cause.errorUri, findings }
  }
}

/** @throws CommandError for what is no mode */
function examplesIn(invocation: Invocation): ExamplesMode {
  const text = invocation.option('examples') ?? 'off'
  const mode = examplesModes.find((each) => each === text)
  if (mode !== undefined) return mode
  const message = `--examples: expected one of ${examplesModes.join(', ')}; found "${text}"`
  throw new CommandError(exitCode.usage, message)
}

/** `load`: `[{file, outcome, id, ts, added, findings}]`; goes on after a refused document. */
export const load: Run = async (invocation) => {
  const examples = examplesIn(invocation)
  const client = new AdminClient(invocation)
  // all files are read before the first is sent
  const sources = invocation.positionals.map((file) => readSource(file))
  const results: LoadResult[] = []
  for (const source of inProgress(invocation.progress, 'loading files:', sources))
    results.push(await loadSource(client, source, conditionOf(invocation), examples))
  const isRefused = results.some(({ outcome }) => outcome === 'refused')
  return {
    value: results,
    text: results
      .map(({ file, outcome, added }) => `${file}: ${outcome}\n${addedLines(added)}`)
      .join(''),
    findings: results.flatMap(({ findings }) => findings),
    code: isRefused ? exitCode.findings : exitCode.ok,
  }
}
