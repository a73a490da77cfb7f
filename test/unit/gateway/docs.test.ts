/** Runs the examples of docs/specification.md that show a request and its answer, or an issue. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import type { Issue } from '#component/errors.ts'
import { validateSpec } from '#component/spec/validate.ts'
import { bodyOf, documentOf, issuesOf, serve } from './fake-exchange.ts'

/** An example as it stands in the page. */
interface Example {
  readonly paths: object
  /** More keys of the version. */
  readonly version?: object
  /** `METHOD target`. */
  readonly request: string
  /** What the actions other than `static` come to, in their order. */
  readonly outcomes?: readonly Outcome[]
  /** The type and some fields of every action that is performed. */
  readonly performs?: readonly object[]
  readonly status?: number
  /** Some headers of the answer; null: the answer lacks it. */
  readonly headers?: Readonly<Record<string, string | null>>
  readonly body?: unknown
  /** The only issue of a document that does not load, and the beginning of its message. */
  readonly issue?: Issue
}

const text = readFileSync(new URL('../../../docs/specification.md', import.meta.url), 'utf8')

const all = [...text.matchAll(/```json\n(.*?)```/gs)].map(
  ([, json = '']) => JSON.parse(json) as Example,
)
const examples = all.filter(({ request }) => request !== undefined)
const refused = all.filter(({ issue }) => issue !== undefined)

describe('an example of docs/specification.md', () => {
  for (const example of examples) {
    const { request, paths, version = {}, outcomes = [], performs, status = 200, body } = example
    it(`answers ${request} as it says: ${Object.keys(paths)}`, async () => {
      const document = documentOf(paths, {}, version)
      expect(validateSpec(document).warnings).to.deep.equal([])
      const left = [...outcomes]
      const plain: Outcome = { result: { args: [], kwargs: {} } }
      const served = serve(document, () => left.shift() ?? plain)
      const reply = await served.ask(request)
      const done = served.performed.map(({ type, fields }) => ({ type, ...fields }))
      for (const [index, wanted] of (performs ?? done).entries()) {
        expect(done[index]).to.deep.include(wanted)
      }
      expect(done).to.have.lengthOf((performs ?? done).length)
      expect(reply.status).to.equal(status)
      for (const [name, value] of Object.entries(example.headers ?? {})) {
        expect(reply.headers[name] ?? null, name).to.equal(value)
      }
      expect(bodyOf(reply)).to.deep.equal(body)
    })
  }

  for (const { paths, version = {}, issue } of refused) {
    it(`is refused as it says: ${Object.keys(paths)}`, () => {
      const [found, ...more] = issuesOf(documentOf(paths, {}, version))
      expect(more).to.deep.equal([])
      expect(found?.path).to.equal(issue?.path)
      expect(found?.message.startsWith(issue?.message ?? ''), found?.message).to.equal(true)
    })
  }
})
