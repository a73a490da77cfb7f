/** What loading finds in documents with streams, and the sentence that it says. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Around, findingsOf } from './document.ts'

interface Case {
  readonly what: string
  readonly operation: unknown
  readonly around?: Around
  /** Pointer below the operation, or in the document, and sentence. */
  readonly issues?: readonly (readonly [at: string, sentence: string])[]
  readonly warnings?: readonly (readonly [at: string, sentence: string])[]
}

const file = join(import.meta.dirname, '..', '..', '..', 'cases', 'streams', 'documents.json')
const cases: readonly Case[] = JSON.parse(readFileSync(file, 'utf8'))

describe('a document with a stream', () => {
  for (const { what, operation, around, issues = [], warnings = [] } of cases) {
    const isSound = issues.length === 0 && warnings.length === 0
    it(`${isSound ? 'may have' : 'is told of'} ${what}`, () => {
      expect(findingsOf(operation, around)).to.deep.equal({ issues, warnings })
    })
  }
})
