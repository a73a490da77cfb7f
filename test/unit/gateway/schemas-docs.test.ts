/** Loads the document of docs/schemas.md, and runs the examples of that page. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { bodyOf, documentOf, fixed, serve } from './fake-exchange.ts'

const text = readFileSync(new URL('../../../docs/schemas.md', import.meta.url), 'utf8')
const blocks = [...text.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => JSON.parse(json))
const [document, ...others] = blocks

/** A request to the document, as the page shows it. */
interface Example {
  readonly request: string
  readonly send?: unknown
  /** What the procedure yields. */
  readonly result?: unknown
  readonly performs?: readonly object[]
  readonly status?: number
  readonly body: unknown
}

const examples = others.filter((block): block is Example => 'request' in block)
const refused = others.filter((block) => 'issue' in block)

describe('the document of docs/schemas.md', () => {
  it('loads without issues and warnings', () => {
    const { issues, warnings } = compileDocument(document, { callTimeout: 30_000 })
    expect({ issues, warnings }).to.deep.equal({ issues: [], warnings: [] })
  })

  for (const { request, send, result, performs, status = 200, body } of examples) {
    it(`answers ${request} with ${status}, as the page says`, async () => {
      const outcome: Outcome = {
        result: { request_id: 1, details: {}, args: [result], kwargs: {} },
      }
      const { ask, performed } = serve(document, () => outcome)
      const reply = await ask(request, send === undefined ? {} : { body: JSON.stringify(send) })
      expect({ status: reply.status, body: bodyOf(reply) }).to.deep.equal({ status, body })
      const done = performed.map(({ fields }) => fields)
      for (const [index, wanted] of (performs ?? done).entries()) {
        expect(done[index]).to.deep.include(wanted)
      }
      expect(done).to.have.length((performs ?? done).length)
    })
  }

  for (const { schema, issue } of refused) {
    it(`is refused at ${issue.path} with ${JSON.stringify(schema)}`, () => {
      const example = documentOf({ '/x': { get: fixed() } }, { schemas: { Example: schema } })
      const { issues } = compileDocument(example, { callTimeout: 30_000 })
      expect(issues.map(({ path }) => path)).to.deep.equal([issue.path])
    })
  }
})
