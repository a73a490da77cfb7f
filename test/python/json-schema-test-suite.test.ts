/** The official JSON-Schema-Test-Suite: all of it holds but for the exceptions in test/cases/schema/official-suite.json. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { judging } from '#component/schema/judge.ts'
import { keywords } from '#component/schema/keywords.ts'
import { Validators } from '#component/schema/validators.ts'
import { isMap, setOwn } from '#component/syntax/values.ts'
import { runAtOnce } from '#component/yielding.ts'
import { type SuiteGroup, suiteGroups } from '#test/support/peers/json-schema-test-suite.ts'

interface Exceptions {
  /** Beginnings of titles: of a file, of a group, or of one test. */
  readonly exceptions: { readonly reason: string; readonly titles: readonly string[] }[]
}

const { exceptions }: Exceptions = JSON.parse(
  readFileSync('test/cases/schema/official-suite.json', 'utf8'),
)
const titles = exceptions.flatMap((exception) => exception.titles)

/** A schema of the suite as the schema `suite` of a document: `#` is its own root there. */
function moved(schema: unknown): unknown {
  if (!isMap(schema)) return schema
  const copy: Record<string, unknown> = {}
  for (const keyword of Object.keys(schema)) setOwn(copy, keyword, movedValue(schema, keyword))
  // the gateway wants a bound beside it
  if (schema.uniqueItems === true) copy.maxItems ??= 1_000
  return copy
}

function movedValue(schema: Readonly<Record<string, unknown>>, keyword: string): unknown {
  const value = schema[keyword]
  const holds = keywords.get(keyword)?.holds
  if (keyword === '$ref' && /^#(?:\/|$)/.test(String(value))) {
    return `#/schemas/suite${String(value).slice(1)}`
  }
  if (holds === 'schema') return moved(value)
  if (holds === 'list' && Array.isArray(value)) return value.map(moved)
  if (holds !== 'map' || !isMap(value)) return value
  const copy: Record<string, unknown> = {}
  for (const name of Object.keys(value)) setOwn(copy, name, moved(value[name]))
  return copy
}

/** The titles of a group that do not hold: that of the group where its schema is refused. */
function failuresOf({ title, schema, tests }: SuiteGroup, validators: Validators): string[] {
  const named = { suite: moved(schema) }
  const findings = { issues: [], warnings: [] }
  runAtOnce(judging([], named, findings))
  if (findings.issues.length > 0) return [`${title}: is refused`]
  const validator = validators.of({ $ref: '#/schemas/suite' }, named)
  return tests
    .filter(({ data, valid }) => (validator.mistakesOf(data, '') === undefined) !== valid)
    .map(({ description }) => `${title}: ${description}`)
}

describe('the official JSON-Schema-Test-Suite', function () {
  this.timeout(180_000)
  let failures: string[] = []
  let count = 0

  before(() => {
    const validators = new Validators()
    const groups = suiteGroups()
    count = groups.reduce((sum, { tests }) => sum + tests.length, 0)
    failures = groups.flatMap((group) => failuresOf(group, validators))
  })

  it('has more than 1,900 tests', () => {
    expect(count).to.be.greaterThan(1_900)
  })

  it('holds but for the listed exceptions', () => {
    const unlisted = failures.filter(
      (failure) => !titles.some((title) => failure.startsWith(title)),
    )
    expect(unlisted.join('\n')).to.equal('')
  })

  it('needs every listed exception', () => {
    const unneeded = titles.filter(
      (title) => !failures.some((failure) => failure.startsWith(title)),
    )
    expect(unneeded.join('\n')).to.equal('')
  })
})
