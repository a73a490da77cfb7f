/** The conformance suite of the Model Context Protocol, all scenarios of a server, for each revision that it has a list for. */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { type ProgressCallee, progressCallees } from '#test/integration/streams/progress-callees.ts'
import { run } from '#test/support/command.ts'
import { toolsRealm } from '#test/support/examples/tools-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { conformanceDocument } from './conformance-document.ts'
import { notApplicable, reasons } from './conformance-scenarios.ts'

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

/** What the suite writes of a check. */
interface Check {
  readonly id: string
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO'
  readonly errorMessage?: string
}

/** Checks by their scenario. */
type Found = ReadonlyMap<string, readonly Check[]>

/** Runs all scenarios of a revision against an endpoint. */
async function runSuite(url: string, revision: string): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  try {
    const args = ['server', '--url', url, '--requirements', revision, '-o', folder]
    const { stderr } = await run(process.execPath, [suite, ...args], folder)
    const files = globSync(join(folder, '*/checks.json'))
    expect(files, stderr).not.to.deep.equal([])
    return new Map(
      files.map((file) => {
        const [, scenario = ''] =
          /^server-(.*)-\d{4}-\d\d-\d\dT/.exec(basename(dirname(file))) ?? []
        return [scenario, JSON.parse(readFileSync(file, 'utf8')) as Check[]]
      }),
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const wireCheck = 'wire-schema-valid'

/** The checks that say something of the scenario itself. */
const judged = (checks: readonly Check[]) =>
  checks.filter(({ id, status }) => id !== wireCheck && ['SUCCESS', 'FAILURE'].includes(status))

const failed = (checks: readonly Check[]) => checks.filter(({ status }) => status === 'FAILURE')

describe('the conformance suite of the Model Context Protocol', () => {
  let gateway: TestGateway
  let callee: ProgressCallee

  before(async () => {
    gateway = await startGateway()
    const { status, body } = await gateway.load(conformanceDocument)
    expect(status, JSON.stringify(body)).to.equal(201)
    expect(body.warnings).to.deep.equal([])
    callee = await progressCallees['autobahn-js'](gateway.routerUrl, toolsRealm)
  })
  after(async () => {
    await callee?.close()
    await gateway?.stop()
  })

  for (const [revision, exempt] of Object.entries(notApplicable)) {
    describe(revision, () => {
      let found: Found

      before(async () => {
        found = await runSuite(`${gateway.url}/v1/mcp`, revision)
      })
      after(() => {
        const rows = [...found].sort().map(([scenario, checks]) => {
          const passed = checks.filter(({ status }) => status === 'SUCCESS').length
          const why = Object.entries(exempt)
            .filter(([name]) => name === scenario || name.startsWith(`${scenario}:`))
            .map(([name, reason]) => `${name.slice(scenario.length + 1)} ${reasons[reason]}`.trim())
          return `| ${scenario} | ${passed} | ${failed(checks).length} | ${why.join('; ')} |`
        })
        process.stdout.write(
          `\n| scenario, ${revision} | passed | failed | does not apply: |\n|---|---|---|---|\n${rows.join('\n')}\n\n`,
        )
      })

      it('passes each check of all scenarios that apply', () => {
        const failures = [...found].flatMap(([scenario, checks]) =>
          failed(checks)
            .filter(({ id }) => !(scenario in exempt || `${scenario}:${id}` in exempt))
            .map(({ id, errorMessage }) => `${scenario}:${id}: ${errorMessage}`),
        )
        expect(failures).to.deep.equal([])
      })

      it('passes so much as the others can be judged: each message fits the schema of the revision', () => {
        const wire = [...found.values()].flat().filter(({ id }) => id === wireCheck)
        expect(wire.length).to.be.greaterThan(10)
        expect(failed(wire)).to.deep.equal([])
      })

      it('is said not to apply where it does not, and nowhere else', () => {
        const empty = [...found].flatMap(([scenario, checks]) =>
          scenario in exempt || judged(checks).length > 0 ? [] : [scenario],
        )
        expect(empty, 'without a word, although nothing is judged').to.deep.equal([])
        const stale = Object.keys(exempt).filter((name) => {
          const [scenario = '', check] = name.split(':')
          const checks = judged(found.get(scenario) ?? [])
          const named = checks.filter(({ id }) => check === undefined || id === check)
          return named.length > 0 && failed(named).length === 0
        })
        expect(stale, 'although it passes').to.deep.equal([])
      })
    })
  }
})
