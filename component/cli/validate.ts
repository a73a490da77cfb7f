/** `validate`: checks documents without a running gateway, with the errors of loading. */

import { stringifyJson } from '#component/codec/json.ts'
import { maxDocumentBytes } from '#component/codec/limits.ts'
import type { CompilePorts } from '#component/compile/compile.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { compileSettings } from '#component/compile/settings.ts'
import { type Config, ConfigError, configIssues, readConfig } from '#component/config/config.ts'
import type { Issue } from '#component/errors.ts'
import { checkDocuments } from '#component/realm/documents/load-check.ts'
import { inProgress } from '#component/terminal/progress.ts'
import { CommandError, exitCode, type Invocation, type Run } from './command.ts'
import type { Finding } from './findings.ts'
import { type Kind, kindOf, readSource, type SourceFile, SyntaxFinding } from './source-file.ts'

interface Judgement {
  readonly issues: readonly Issue[]
  readonly warnings: readonly Issue[]
}

/** What came of one file. */
interface Validated {
  readonly file: string
  readonly kind?: Kind
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

/** The judges of each kind. */
const judges: Readonly<
  Record<Kind, (document: unknown, environment: Invocation['environment']) => Judgement>
> = {
  'api-spec'(document, environment) {
    return compileDocument(document, compileOptions(environment))
  },
  realm: checkDocuments,
  config: (document) => ({ issues: configIssues(document), warnings: [] }),
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
  const { issues, warnings } = judges[kind](document, environment)
  const tooLarge = kind === 'config' ? [] : sizeIssues(document)
  const findings = [
    ...source.findings('error', [...tooLarge, ...issues]),
    ...source.findings('warning', warnings),
  ]
  return { file, kind, findings }
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

function lineOf({ file, findings }: Validated): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const found = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ]
  return `${file}: ${found.join(', ') || 'ok'}\n`
}

/** `validate`: `[{file, kind, findings}]`. A text that is neither JSON nor YAML is a finding, and the exit code 65. */
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
