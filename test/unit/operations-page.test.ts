/** The service that docs/operations.md shows runs what `npm start` runs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')

describe('the unit of systemd in docs/operations.md', () => {
  it('runs what npm start runs', () => {
    const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')
    const manifest = readFileSync(join(root, 'package.json'), 'utf8')
    const { scripts } = JSON.parse(manifest) as { scripts: { start: string } }
    const folder = '/opt/wamp-gateway'
    const command = scripts.start.replace(/^node /, '')
    expect(page).to.include(
      `\nExecStart=${folder}/node_modules/.bin/node ${folder}/${command} --config `,
    )
  })
})
