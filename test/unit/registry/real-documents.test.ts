/** API Specifications that are in use: each loads, and is read back as it is. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { registryWith } from './doubles.ts'

const folder = join(import.meta.dirname, '../../cases/specs')

/** API Specifications only: the folder may hold other documents. */
const documents = readdirSync(folder)
  .map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8'))] as const)
  .filter(([, document]) => !Array.isArray(document) && 'versions' in document)

describe('a real API Specification', () => {
  for (const [name, document] of documents) {
    it(`${name} loads, and is read back equal plus ts, also after a restart`, async () => {
      const { registry, store } = await registryWith({ realmExists: () => true })
      const { id, ts } = await registry.load(document)
      expect(registry.get(id).document).to.deep.equal({ ...document, ts })
      const again = await registryWith({ store })
      expect(again.registry.get(id).document).to.deep.equal({ ...document, ts })
      expect(again.tables.at(-1)?.entries.length).to.be.greaterThan(0)
    })
  }

  it('is there to be tried', () => {
    expect(documents.length).to.be.at.least(8)
  })
})
