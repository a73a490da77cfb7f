/** OpenAPI documents with mistakes: an import throws nothing, and what it makes of most of them loads. */
import { expect } from 'chai'
import { importOpenApi } from '#component/openapi/import/import.ts'
import { versionProblem } from '#component/openapi/import/source.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { mutate } from '#test/fuzz/documents.ts'
import { randomFrom } from '#test/fuzz/random.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { corpus, judge, read } from './corpus.ts'

describe('An OpenAPI document with mistakes', function () {
  this.timeout(rounds(300_000, 600_000))

  it('is imported without what is wrong in it, which is told', () => {
    const random = randomFrom(18)
    const count = rounds(400, 20_000)
    let [imported, loaded] = [0, 0]
    for (let index = 0; index < count; index++) {
      const document = structuredClone(read(corpus[index % corpus.length] ?? '')) as never
      for (let step = 0; step <= index % 4; step++) mutate(document, random)
      const received: unknown = JSON.parse(JSON.stringify(document))
      if (versionProblem(received) !== undefined) continue
      imported += 1
      const { issues } = importOpenApi(received as JsonMap, { realm_uri: 'com.example' }, judge)
      if (issues.length === 0) loaded += 1
    }
    expect(imported).to.be.at.least(count * 0.9)
    expect(loaded).to.be.at.least(imported * 0.97)
  })
})
