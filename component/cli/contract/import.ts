/** `import openapi`: an OpenAPI document as an API Specification, on standard output. */

import { CommandError, exitCode, type Invocation, type Run } from '#component/cli/command.ts'
import type { Finding } from '#component/cli/findings.ts'
import { pretty } from '#component/cli/format.ts'
import { readSource, type SourceFile, SyntaxFinding } from '#component/cli/source-file.ts'
import { compileOptions, sizeIssues } from '#component/cli/validate.ts'
import { keysOfPointer } from '#component/codec/json.ts'
import { documentRules } from '#component/codec/limits.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { importOpenApi } from '#component/openapi/import/import.ts'
import { versionProblem } from '#component/openapi/import/source.ts'
import type { ImportOptions } from '#component/openapi/import/target.ts'
import { idProblem } from '#component/spec/syntax.ts'
import { parseHostPattern } from '#component/syntax/host-pattern.ts'
import { originProblem } from '#component/syntax/upstream-origin.ts'
import { isMap, type JsonMap, memberOf, setOwn } from '#component/syntax/values.ts'
import { uriProblem } from '#component/syntax/wamp-uri.ts'
import { withReferencedFiles } from './referenced-files.ts'

/** Tools in JavaScript write the bounds of int64 as doubles, with more digits than those have. */
const openapiRules = { ...documentRules, allowGreatIntegers: true }

/** `import`: the API Specification. What is not carried over is told on standard error, in the order of the file. */
export const importDocument: Run = (invocation) => {
  const [format, file = ''] = invocation.positionals
  if (format !== 'openapi')
    throw new CommandError(exitCode.usage, `expected openapi, found "${format}"`)
  const options = optionsOf(invocation)
  const source = readSource(file, openapiRules)
  writeTexts(source)
  const problem = versionProblem(source.document)
  if (problem !== undefined)
    throw new SyntaxFinding({ severity: 'error', file, path: '', message: problem })
  const unread = withReferencedFiles(source.document as JsonMap, file, openapiRules)
  const ports = compileOptions(invocation.environment)
  const imported = importOpenApi(source.document as JsonMap, options, (document) => {
    const { issues, warnings } = compileDocument(document, ports)
    const tooLarge = sizeIssues(document).map(({ path, message }) => ({
      path,
      message: `${message}; --paths and --tag take a part of it`,
    }))
    return { issues: [...issues, ...tooLarge], warnings }
  })
  const { document, losses, issues } = imported
  const told = inOrder(source.findings('warning', [...unread, ...losses]))
  const isStrict = invocation.isSet('strict')
  if (issues.length > 0) {
    const errors = inOrder(source.findings('error', issues))
    return Promise.resolve({
      value: { issues },
      text: '',
      told: [...told, ...errors],
      code: exitCode.findings,
    })
  }
  return Promise.resolve({
    value: document,
    text: `${pretty(document)}\n`,
    told,
    code: isStrict && told.length > 0 ? exitCode.findings : exitCode.ok,
  })
}

/** Texts that look like numbers: YAML has `2.10` for a number where it is not quoted. */
const texts = ['/openapi', '/info/version', '/info/title']

/** Gives such texts back the form that their author wrote. */
function writeTexts({ document, scalarAt }: SourceFile): void {
  for (const path of texts) {
    const keys = keysOfPointer(path)
    const last = keys.pop() ?? ''
    const parent = keys.reduce<unknown>(memberOf, document)
    if (isMap(parent) && typeof parent[last] === 'number') setOwn(parent, last, scalarAt(path))
  }
}

const inOrder = (findings: readonly Finding[]): readonly Finding[] =>
  findings.toSorted((one, other) => (one.place?.line ?? 0) - (other.place?.line ?? 0))

/** @throws CommandError for a value that no API Specification could have */
function optionsOf(invocation: Invocation): ImportOptions {
  const realm_uri = invocation.option('realm')
  if (realm_uri === undefined)
    throw new CommandError(exitCode.usage, '--realm is missing: the realm that the API targets')
  const option = (name: string, problemOf: (text: string) => string | undefined) => {
    const value = invocation.option(name)
    const problem = value === undefined ? undefined : problemOf(value)
    if (problem !== undefined) throw new CommandError(exitCode.usage, `--${name}: ${problem}`)
    return value
  }
  const forward = option('forward', urlProblem)
  const as = option('as', (text) =>
    text === 'procedures' ? undefined : `expected procedures, found "${text}"`,
  )
  if (as !== undefined && invocation.option('host') !== undefined)
    throw new CommandError(exitCode.usage, '--host: procedures have no host')
  return {
    realm_uri: option('realm', uriProblem) ?? realm_uri,
    host: option('host', hostProblem),
    id: option('id', idProblem),
    prefix: option('prefix', uriProblem),
    isTurned: as === 'procedures',
    forward: forward === undefined ? undefined : new URL(forward),
    part: { globs: invocation.options('paths'), tags: invocation.options('tag') },
  }
}

function hostProblem(host: string): string | undefined {
  const parsed = parseHostPattern(host)
  return 'problem' in parsed ? parsed.problem : undefined
}

function urlProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url?.host) return 'expected a URL such as http://127.0.0.1:8080'
  if (url.search || url.hash) return 'expected a URL without a query and a fragment'
  return originProblem(text.replace(/^(\w+:\/\/[^/]*).*$/, '$1'))
}
