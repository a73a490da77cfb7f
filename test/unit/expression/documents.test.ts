/** Real API Specifications: every expression in them compiles, in the scope that it stands in. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { compile } from '#component/expression/compile.ts'
import { fuzzExpressions } from '#test/fuzz/expressions.ts'
import { compileVariables, type Given, scopeOf } from './context.ts'

type Level = Given & Readonly<Record<string, unknown>>
type Document = Level & { readonly versions?: Readonly<Record<string, Level>> }

const folder = join(import.meta.dirname, '../../cases/specs')

const merge = (above: Given, below: Given): Given => ({
  variables: { ...above.variables, ...below.variables },
  defaults: { ...above.defaults, ...below.defaults },
  status_codes: { ...above.status_codes, ...below.status_codes },
})

function issuesOf(document: Document): Issue[] {
  const issues: Issue[] = []
  for (const [label, version] of Object.entries(document.versions ?? {})) {
    const given = merge(document, version)
    for (const [pattern, path] of Object.entries((version.paths ?? {}) as Record<string, Level>)) {
      const scope = scopeOf(merge(given, path))
      compileVariables(scope, issues)
      compile(path, pointer('/versions', label, 'paths', pattern), scope, issues)
    }
  }
  return issues
}

describe('the expressions of real documents', () => {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.json'))) {
    it(`compile: ${name}`, () => {
      expect(issuesOf(JSON.parse(readFileSync(join(folder, name), 'utf8')))).to.deep.equal([])
    })
  }

  it('and their mutations never crash the compiler or an evaluation', () => {
    const { compiled, refused, crashed } = fuzzExpressions({ count: 5000, seed: 1 })
    expect(crashed).to.deep.equal([])
    expect(compiled + refused).to.equal(5000)
    expect(compiled).to.be.greaterThan(1800)
  })
})
