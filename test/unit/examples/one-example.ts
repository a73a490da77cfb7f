/** Runs one example of one operation. */
import { expect } from 'chai'
import { testDocument } from '#component/examples/examples.ts'
import { documentOf } from '#test/unit/gateway/fake-exchange.ts'
import { examplePorts } from './ports.ts'

/** The problems of one example, as `member: message`. */
export async function problemsOf(operation: object, example: object, more: object = {}) {
  const paths = { '/x/:id': { get: { ...operation, examples: { one: example } } } }
  const { report, issues } = await testDocument(documentOf(paths, more), examplePorts)
  expect(issues).to.deep.equal([])
  const problems = report?.results.flatMap((result) => result.problems) ?? []
  return problems.map(({ path, message }) => `${path.split('/examples/one/')[1]}: ${message}`)
}
