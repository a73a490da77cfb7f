/** The examples of whole documents: compiled, run, and judged before a load. */

import type { Clock } from '#component/clock.ts'
import { type CompilePorts, compilation } from '#component/compile/compile.ts'
import { compilingDocument } from '#component/compile/compile-document.ts'
import { InvalidSpecError, type Issue, ServiceError } from '#component/errors.ts'
import type { RehearsalPorts } from '#component/explain/rehearsal.ts'
import type { Api, DescribedVersion, Route } from '#component/gateway/api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { mapOrEmpty } from '#component/syntax/values.ts'
import { runSteps, type YieldTurn } from '#component/yielding.ts'
import { Explanations } from './explanation.ts'
import type { ExamplesMode } from './modes.ts'
import { type ExampleReport, runExamples } from './run.ts'
import { stagesOf } from './stage.ts'

/** The parts that testing documents needs. */
export interface ExamplePorts {
  /** Its validators are those of `body_matches`, too. */
  readonly compile: CompilePorts & Required<Pick<CompilePorts, 'schemas'>>
  readonly rehearsal: RehearsalPorts
  readonly clock: Pick<Clock, 'now' | 'after'>
  /** Lets other work run between two examples; absent: the process has no other work. */
  readonly yieldTurn?: YieldTurn
}

/** What came of a document. */
export interface TestedDocument {
  /** Undefined when the document does not load. */
  readonly report: ExampleReport | undefined
  /** Why the document does not load. */
  readonly issues: readonly Issue[]
  readonly warnings: readonly Issue[]
}

/**
 * Compiles a document and runs its examples.
 * @param only the name of the examples that are run; undefined: all
 * @throws ServiceError 503 when they take too long; it names the example
 */
export async function testDocument(
  document: unknown,
  ports: ExamplePorts,
  only?: string,
): Promise<TestedDocument> {
  const { compile, yieldTurn } = ports
  const { api, issues, warnings } = await runSteps(compilingDocument(document, compile), yieldTurn)
  const report = api && (await run(document, api, ports, only))
  return { report, issues, warnings }
}

function run(
  document: unknown,
  api: Api,
  { compile, rehearsal, clock, yieldTurn }: ExamplePorts,
  only: string | undefined,
): Promise<ExampleReport> {
  const named = mapOrEmpty(mapOrEmpty(document).schemas)
  const { validators } = compile.schemas
  const explanations = new Explanations(document as JsonMap, { compile, rehearsal })
  return runExamples(api, {
    ...{ clock, yieldTurn, only, codec: rehearsal.codec },
    ...stagesOf(api, rehearsal),
    explain: (asked, path) => explanations.of(asked, path),
    check: (schema, value) => validators.of(schema, named).mistakesOf(value, ''),
  })
}

/** The examples of documents as a running gateway tests them. */
export class Examples {
  readonly #ports: ExamplePorts

  constructor(ports: ExamplePorts) {
    this.#ports = ports
  }

  /**
   * Runs the examples of a document.
   * @throws InvalidSpecError for a document that does not load; ServiceError 503 when the examples take too long
   */
  async test(document: unknown): Promise<ExampleReport> {
    const { report, issues } = await testDocument(document, this.#ports)
    if (report === undefined) throw new InvalidSpecError(issues)
    return report
  }

  /** JSON Pointers of the examples of an active version that hold; none where they take too long. */
  async holding({ spec, version, entries }: DescribedVersion): Promise<ReadonlySet<string>> {
    if (!entries.some(hasExamples)) return new Set()
    const { compile, rehearsal, clock, yieldTurn } = this.#ports
    // compiled anew: what is served counts the requests that do not fit their schemas
    const { api } = await runSteps(compilation(spec, compile), yieldTurn)
    const own = api?.versions.find((one) => one.version === version)
    if (api === undefined || own === undefined) return new Set()
    const { validators } = compile.schemas
    const served = { ...api, entries: own.entries }
    const results = await runExamples(served, {
      ...{ clock, yieldTurn, codec: rehearsal.codec },
      ...stagesOf(served, rehearsal),
      explain: async () => undefined,
      check: (schema, value) => validators.of(schema, spec.schemas).mistakesOf(value, ''),
    }).then(
      (report) => report.results,
      (error: unknown) => {
        if (error instanceof ServiceError) return []
        throw error
      },
    )
    return new Set(results.filter(({ passed }) => passed).map(({ path }) => path))
  }

  /**
   * Runs the examples of a document that is about to be loaded.
   * @returns a warning for each expectation that does not hold
   * @throws InvalidSpecError in the mode `refuse` where an example fails; ServiceError 503 when they take too long
   */
  async judge(document: unknown, mode: ExamplesMode): Promise<readonly Issue[]> {
    if (mode === 'off') return []
    // a document that does not load has no report: its load is refused with all of its issues
    const { report } = await testDocument(document, this.#ports)
    const failures = report?.results.flatMap(({ problems }) => problems) ?? []
    if (mode === 'refuse' && failures.length > 0) throw new InvalidSpecError(failures)
    return failures
  }
}

const hasExamples = ({ routes }: RouteEntry<Route>): boolean =>
  Object.values(routes).some(
    (route) => route.kind === undefined && Object.hasOwn(route.written, 'examples'),
  )
