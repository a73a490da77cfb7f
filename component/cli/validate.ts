/** `validate`: checks documents without a running gateway, with the errors of loading. */

import { stringifyJson } from '#component/codec/json.ts'
import { maxDocumentBytes } from '#component/codec/limits.ts'
import type { CompilePorts } from '#component/compile/compile.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { compileSettings } from '#component/compile/settings.ts'
import { type Config, ConfigError, configIssues, readConfig } from '#component/config/config.ts'
import type { Issue } from '#component/errors.ts'
import {
  type AddedPath,
  addedPaths,
  type RedirectSettings,
} from '#component/gateway/added-paths.ts'
import { fillEnvironment } from '#component/realm/documents/environment.ts'
import { checkDocuments } from '#component/realm/documents/load-check.ts'
import { providerOf } from '#component/security/oidc/kind.ts'
import { inProgress } from '#component/terminal/progress.ts'
import { addedLines } from './added.ts'
import { CommandError, exitCode, type Invocation, type Run } from './command.ts'
import type { Finding } from './findings.ts'
import { type Kind, kindOf, readSource, type SourceFile, SyntaxFinding } from './source-file.ts'

interface Judgement {
  readonly issues: readonly Issue[]
  readonly warnings: readonly Issue[]
  readonly added?: readonly AddedPath[]
}

/** What came of one file. */
interface Validated {
  readonly file: string
  readonly kind?: Kind
  /** Absent where the document adds no paths. */
  readonly added?: readonly AddedPath[]
  readonly findings: readonly Finding[]
}

/**
 * The configuration of a gateway, as its environment has it.
 * @throws CommandError for an environment that no gateway would start with
 */
export function readEnvironment(environment: Invocation['environment']): Config {
  try {
    return readConfig(undefined, environment)
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    throw new CommandError(exitCode.config, `the environment: ${cause.message}`, { cause })
  }
}

/** The settings of a gateway that compiling uses. Throws as {@link readEnvironment} does. */
export const compileOptions = (environment: Invocation['environment']): CompilePorts =>
  compileSettings(readEnvironment(environment))

/** What is known without a realm: a provider by the name that the document has for it. */
const settingsOf = ({ gateway: { public_base_url } }: Config): RedirectSettings => ({
  address: public_base_url?.replace(/\/$/, '') ?? '<gateway.public_base_url>',
  isConfigured: public_base_url !== undefined,
  providers: (_realm, security) => ({ [providerOf(security)]: undefined }),
})

/** The judges of each kind. */
const judges: Readonly<
  Record<Kind, (document: unknown, environment: Invocation['environment']) => Judgement>
> = {
  'api-spec'(document, environment) {
    const config = readEnvironment(environment)
    const compiled = compileDocument(document, compileSettings(config))
    return { ...compiled, added: addedPaths(compiled.api?.entries ?? [], settingsOf(config)) }
  },
  realm: checkDocuments,
  config: (document) => ({ issues: configIssues(document), warnings: [] }),
}

/** What is wrong with a realm document, but for variables of the environment that are not set: only a gateway knows its own. */
export const realmIssues = (
  document: unknown,
  environment: Invocation['environment'],
): readonly Issue[] => {
  const unset: Issue[] = []
  fillEnvironment(document, environment, '', unset)
  const places = new Set(unset.map(({ path }) => path))
  return checkDocuments(document, environment).issues.filter(({ path }) => !places.has(path))
}

/** Most characters of a document that is measured. */
const longest = 1024 * 1024 * 1024

/** The issue of a document that a gateway refuses for its size; none of any other. */
export function sizeIssues(document: unknown): readonly Issue[] {
  const bytes = Buffer.byteLength(stringifyJson(document, longest))
  if (bytes <= maxDocumentBytes) return []
  const message = `the document has ${bytes} bytes as JSON without blanks, and a gateway takes at most ${maxDocumentBytes}`
  return [{ path: '', message }]
}

function check(source: SourceFile, environment: Invocation['environment']): Validated {
  const { file, document } = source
  const kind = kindOf(document)
  const { issues, warnings, added = [] } = judges[kind](document, environment)
  const tooLarge = kind === 'config' ? [] : sizeIssues(document)
  const findings = [
    ...source.findings('error', [...tooLarge, ...issues]),
    ...source.findings('warning', warnings),
  ]
  return { file, kind, ...(added.length > 0 && { added }), findings }
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

function lineOf({ file, findings, added }: Validated): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const found = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ]
  return `${file}: ${found.join(', ') || 'ok'}\n${addedLines(added)}`
}

/** `validate`: `[{file, kind, added, findings}]`. A text that is neither JSON nor YAML is a finding, and the exit code 65. */
export const validate: Run = async (invocation) => {
  let isUnreadable = false
  const { positionals, progress } = invocation
  const inTurn = inProgress(progress, 'validating files:', positionals)
  const files = Array.from(inTurn, (file): Validated => {
    try {
      return check(readSource(file), invocation.environment)
    } catch (cause) {
      if (!(cause instanceof SyntaxFinding)) throw cause
      isUnreadable = true
      return { file, findings: [cause.finding] }
    }
  })
  const findings = files.flatMap((each) => each.findings)
  const isStrict = invocation.isSet('strict')
  const isWrong = findings.some(({ severity }) => isStrict || severity === 'error')
  return {
    value: files,
    text: files.map(lineOf).join(''),
    findings,
    code: isUnreadable ? exitCode.data : isWrong ? exitCode.findings : exitCode.ok,
  }
}
