/** What is done for each path of a document is done in a step of its own. */
import { expect } from 'chai'
import { compilation, compileSpec } from '#component/compile/compile.ts'
import { overlapOf } from '#component/routes/path-overlap.ts'
import { PathTree } from '#component/routes/path-tree.ts'
import { clashesAmong, RoutingTable } from '#component/routes/routing-table.ts'
import { validateSpec, validation } from '#component/spec/validate.ts'
import { parsePathPattern } from '#component/syntax/path-pattern.ts'
import { stepsOf } from '#test/unit/steps-of.ts'

const count = 300
const ports = { callTimeout: 30_000 }

const operation = { action: { type: 'static', body: '{{variables.a}}' } }
const document = {
  id: 'a',
  host: '_',
  realm_uri: 'com.example.test',
  variables: { a: 1 },
  versions: {
    1: {
      base_path: '/',
      paths: Object.fromEntries(
        Array.from({ length: count }, (_, at) => [
          `/p${at}/:x`,
          { variables: { b: at }, get: operation },
        ]),
      ),
    },
  },
}

describe('a document with many paths', () => {
  const { spec } = validateSpec(document)
  if (!spec) throw new Error('the document of the test is no document')
  const entries = compileSpec(spec, ports).api?.entries ?? []

  it('is validated in two steps for each of them', () => {
    expect(stepsOf(validation(document))).to.be.at.least(2 * count)
  })

  it('is compiled in three: itself, its clashes, its level', () => {
    expect(stepsOf(compilation(spec, ports))).to.be.at.least(3 * count)
  })

  it('is looked through for clashes, and made a table of, in one', () => {
    expect(entries).to.have.length(count)
    expect(stepsOf(clashesAmong(entries))).to.be.at.least(count)
    expect(stepsOf(RoutingTable.buildingWhole([entries]))).to.be.at.least(count)
  })

  it('is compared with others in steps', () => {
    const tree = new PathTree<string>()
    for (const { pattern } of entries) {
      const parsed = parsePathPattern(pattern)
      if ('forms' in parsed) for (const form of parsed.forms) tree.add(form, pattern)
    }
    expect(stepsOf(overlapOf(tree, [tree], Infinity))).to.be.at.least(count / 100)
  })
})
