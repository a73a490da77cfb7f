/** Validators of other people find no mistake in what the gateway describes: real documents, and documents made at random. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from '@readme/openapi-parser'
import { Validator } from '@seriousme/openapi-schema-validator'
import { expect } from 'chai'
import fc from 'fast-check'
import { compileDocument } from '#component/compile/compile-document.ts'
import { describing } from '#component/openapi/document.ts'
import { runAtOnce } from '#component/yielding.ts'
import { ordersDocument } from '#test/support/examples/orders.ts'
import { bookshopDocument } from '#test/support/pages/bookshop.ts'
import { policiesDocument } from '#test/support/pages/policies.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { randomDocument } from './random-documents.ts'

const root = join(import.meta.dirname, '../../..')

const files = globSync(['examples/*/api-spec.json', 'test/cases/specs/*.json'], { cwd: root })
  // realm documents
  .filter((file) => !file.endsWith('/security_config.json'))

const documents: readonly (readonly [name: string, read: () => unknown])[] = [
  ...files
    .sort()
    .map((file) => [file, () => JSON.parse(readFileSync(join(root, file), 'utf8'))] as const),
  ['the tutorial', bookshopDocument],
  ['orders', () => ordersDocument],
  ['docs/policies.md', policiesDocument],
]

/** The descriptions of a document for clients and for operators; none where it is refused. */
function descriptionsOf(document: unknown): Record<string, unknown>[] {
  const { api } = compileDocument(document, { callTimeout: 1000 })
  return (api?.versions ?? []).flatMap((version) =>
    [true, false].map((isInternal) => {
      const options = { baseUrl: 'https://api.example.com', serverBase: '', isInternal }
      return JSON.parse(JSON.stringify(runAtOnce(describing(version, options))))
    }),
  )
}

describe('The OpenAPI description', function () {
  this.timeout(rounds(300_000, 600_000))
  const validator = new Validator()

  /** What @seriousme/openapi-schema-validator complains about. */
  async function mistakesOf(description: Record<string, unknown>): Promise<unknown> {
    const { valid, errors } = await validator.validate(description)
    return valid ? undefined : errors
  }

  for (const [name, read] of documents) {
    it(`is valid for two validators: ${name}`, async () => {
      const descriptions = descriptionsOf(read())
      expect(descriptions).not.to.have.lengthOf(0)
      for (const description of descriptions) {
        expect(await mistakesOf(description)).to.equal(undefined)
        expect(await validate(structuredClone(description) as never)).to.deep.include({
          valid: true,
          warnings: [],
        })
      }
    })
  }

  it('is valid for documents made at random', async () => {
    const count = rounds(500, 10_000)
    let described = 0
    for (const document of fc.sample(randomDocument, { numRuns: count, seed: 18 })) {
      for (const description of descriptionsOf(document)) {
        described += 1
        const mistakes = await mistakesOf(description)
        expect(mistakes, JSON.stringify({ document, mistakes }, null, 1)).to.equal(undefined)
      }
    }
    // each document that loads has two; those that are refused are few
    expect(described).to.be.at.least(count * 1.6)
  })
})
