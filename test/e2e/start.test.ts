/** What a newcomer types first: npm start, and the tour of README.md. */
import { rmSync } from 'node:fs'
import { cloneProject } from '#test/support/clone.ts'
import { tour } from './start.setup.ts'

describe('npm start', () => {
  let folder: string
  before(() => {
    folder = cloneProject()
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  it('logs in JSON where it listens, and serves the tour of README.md', () => tour(folder))
})
