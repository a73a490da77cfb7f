/** The official JSON-Schema-Test-Suite, draft 2020-12: the source distribution of Python's jsonschema carries it. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from '#component/codec/json.ts'
import { trustedRules } from '#component/codec/limits.ts'
import { environment, pythonProgram } from './python-environment.ts'

/** On PyPI. */
const version = '4.26.0'
const sha256 = '0c26707e2efad8aa1bfc5b7ce170f3fccc2e4918ff85989ba9ffa9facb2be326'

/** Some values, and whether they fit a schema. */
export interface SuiteGroup {
  /** The file, and what the group is about. */
  readonly title: string
  readonly schema: unknown
  readonly tests: readonly { description: string; data: unknown; valid: boolean }[]
}

/** The folder of the suite, which is downloaded when it is not there: needs pip, and PyPI. */
function suiteFolder(): string {
  const folder = join(environment, 'json-schema-test-suite')
  const name = `jsonschema-${version}`
  const tests = join(folder, name, 'json/tests/draft2020-12')
  if (existsSync(tests)) return tests
  mkdirSync(folder, { recursive: true })
  const pip = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--no-binary', 'jsonschema']
  execFileSync(pythonProgram('python'), [...pip, '--dest', folder, `jsonschema==${version}`])
  const archive = join(folder, `${name}.tar.gz`)
  const found = createHash('sha256').update(readFileSync(archive)).digest('hex')
  if (found !== sha256) throw new Error(`${archive} has the SHA-256 ${found}, not ${sha256}`)
  execFileSync('tar', ['-xzf', archive, '-C', folder, `${name}/json/tests/draft2020-12`])
  return tests
}

/** Every group of the suite, those of its optional files too. */
export function suiteGroups(): SuiteGroup[] {
  const folder = suiteFolder()
  const files = globSync('**/*.json', { cwd: folder }).sort()
  return files.flatMap((file) =>
    groupsIn(readFileSync(join(folder, file), 'utf8')).map(({ description, ...group }) => ({
      title: `${file}: ${description}`,
      ...group,
    })),
  )
}

type Group = Omit<SuiteGroup, 'title'> & { readonly description: string }

/** Integers keep their digits, but in the file with integers of more than 64 bits, which no request can hold. */
function groupsIn(text: string): Group[] {
  try {
    return parseJson(text, trustedRules) as Group[]
  } catch {
    return JSON.parse(text) as Group[]
  }
}
