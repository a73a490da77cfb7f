/** `test`: runs the examples of API Specifications, without a running gateway. */

import { CommandError, exitCode, type Invocation, type Run } from '#component/cli/command.ts'
import type { Finding } from '#component/cli/findings.ts'
import type { Case } from '#component/cli/junit.ts'
import { kindOf, readSource, type SourceFile, SyntaxFinding } from '#component/cli/source-file.ts'
import { readEnvironment } from '#component/cli/validate.ts'
import { systemClock } from '#component/clock.ts'
import { keysOfPointer } from '#component/codec/json.ts'
import { compileSettings } from '#component/compile/settings.ts'
import { ServiceError } from '#component/errors.ts'
import { type ExamplePorts, testDocument } from '#component/examples/examples.ts'
import type { ExampleReport, ExampleResult } from '#component/examples/run.ts'
import { Validators } from '#component/schema/validators.ts'
import { rehearsalPorts } from '#component/wiring/explain/rehearsal-ports.ts'

/** What came of one file. */
interface Tested {
  readonly file: string
  /** Absent when the document does not load. */
  readonly report?: ExampleReport
  /** What a load would find, then what the examples found. */
  readonly findings: readonly Finding[]
  readonly cases: readonly Case[]
}

const isError = ({ severity }: Finding): boolean => severity === 'error'

/** `GET /orders/:id`, of the JSON Pointer of an operation; `CALL com.example.order.get`, of a procedure. */
function nameOf(operation: string): string {
  const keys = keysOfPointer(operation)
  if (keys[0] === 'procedures') return `CALL ${keys[1]}`
  return `${keys.at(-1)?.toUpperCase()} ${keys.at(-2)}`
}

const caseOf = (source: SourceFile, { path, name, problems }: ExampleResult): Case => ({
  subject: nameOf(path.split('/').slice(0, -2).join('/')),
  name,
  findings: source
    .findings('error', problems)
    .map((finding): Finding => ({ ...finding, rule: 'example-fails' })),
})

async function testSource(source: SourceFile, ports: ExamplePorts, only?: string): Promise<Tested> {
  const { file, document } = source
  const kind = kindOf(document)
  if (kind !== 'api-spec') {
    const found = kind === 'realm' ? 'a realm document' : 'a configuration'
    const issue = { path: '', message: `expected an API Specification, found ${found}` }
    return { file, findings: source.findings('error', [issue]), cases: [] }
  }
  const { report, issues, warnings } = await testDocument(document, ports, only)
  const cases = report?.results.map((result) => caseOf(source, result)) ?? []
  const findings = [
    ...source.findings('error', issues),
    ...source.findings('warning', warnings),
    ...cases.flatMap((each) => each.findings),
  ]
  return { file, ...(report && { report }), findings, cases }
}

/** The share of operations that have an example, in percent; a document without operations has 100. */
function coverageOf(files: readonly Tested[]): number {
  const reports = files.flatMap(({ report }) => report ?? [])
  const operations = reports.reduce((sum, report) => sum + report.operations, 0)
  const without = reports.reduce((sum, report) => sum + report.without, 0)
  return operations === 0 ? 100 : Math.floor(((operations - without) * 1000) / operations) / 10
}

/** @throws CommandError for what is no percentage */
function leastCoverage(invocation: Invocation): number {
  const text = invocation.option('fail-under') ?? '0'
  const percent = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && percent <= 100) return percent
  const message = `--fail-under: expected a number from 0 to 100; found "${text}"`
  throw new CommandError(exitCode.usage, message)
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

function lineOf({ file, report }: Tested): string {
  if (!report) return `${file}: not tested\n`
  const { passed, failed, operations, without } = report
  const failures = failed > 0 ? `${failed} failed, ` : ''
  const covered = `${operations - without} of ${counted(operations, 'operation')}`
  return `${file}: ${failures}${passed} passed; ${covered} with examples\n`
}

/** What is said of a coverage that is too low: which operations have no example. */
function shortfall(files: readonly Tested[], coverage: number, least: number): string {
  const missing = files.flatMap(({ file, report }) =>
    (report?.uncovered ?? []).map((operation) => `  ${file}: ${nameOf(operation)}\n`),
  )
  return `${coverage} % of the operations have examples, expected ${least} %; these have none:\n${missing.join('')}`
}

/**
 * `test`: `{passed, failed, without, coverage, files: [{file, passed, failed, operations, without, uncovered, results, findings}]}`; a
 * document that does not load has findings alone. A text that is neither JSON nor YAML is a finding, and the exit code 65.
 */
export const test: Run = async (invocation) => {
  const { positionals, progress, environment } = invocation
  const least = leastCoverage(invocation)
  const only = invocation.option('only')
  const config = readEnvironment(environment)
  const ports = {
    compile: {
      ...compileSettings(config),
      schemas: { validators: new Validators() },
    },
    rehearsal: rehearsalPorts(config, 'wamp-gateway'),
    clock: systemClock,
  }
  let isUnreadable = false
  const files: Tested[] = []
  for (const [done, file] of positionals.entries()) {
    progress.show('testing files:', done, positionals.length)
    try {
      files.push(await testSource(readSource(file), ports, only))
    } catch (cause) {
      if (cause instanceof ServiceError)
        throw new CommandError(exitCode.tryAgain, `${file}: ${cause.message}`, { cause })
      if (!(cause instanceof SyntaxFinding)) throw cause
      isUnreadable = true
      files.push({ file, findings: [cause.finding], cases: [] })
    }
  }
  progress.clear()
  if (
    only !== undefined &&
    files.every(({ cases, findings }) => cases.length + findings.length === 0)
  )
    throw new CommandError(exitCode.usage, `--only: no example is called "${only}"`)
  const coverage = coverageOf(files)
  const isShort = coverage < least
  const sum = (key: 'passed' | 'failed' | 'without') =>
    files.reduce((total, { report }) => total + (report?.[key] ?? 0), 0)
  const findings = files.flatMap((each) => each.findings)
  return {
    value: {
      ...{ passed: sum('passed'), failed: sum('failed'), without: sum('without'), coverage },
      files: files.map(({ file, report, findings }) => ({ file, ...report, findings })),
    },
    text: files.map(lineOf).join('') + (isShort ? shortfall(files, coverage, least) : ''),
    findings,
    suites: files.map(({ file, cases, findings: all, report }) => ({
      ...{ file, cases },
      findings: report ? [] : all.filter(isError),
    })),
    code: isUnreadable
      ? exitCode.data
      : isShort || findings.some(isError)
        ? exitCode.findings
        : exitCode.ok,
  }
}
