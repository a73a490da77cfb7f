/** The service of deploy/ runs what `npm start` runs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')

describe('deploy/wamp-gateway.service', () => {
  it('runs what npm start runs', () => {
    const unit = readFileSync(join(root, 'deploy/wamp-gateway.service'), 'utf8')
    const manifest = readFileSync(join(root, 'package.json'), 'utf8')
    const { scripts } = JSON.parse(manifest) as { scripts: { start: string } }
    const folder = '/opt/wamp-gateway'
    const command = scripts.start.replace(/^node /, '')
    expect(unit).to.include(
      `\nExecStart=${folder}/node_modules/.bin/node ${folder}/${command} --config `,
    )
  })
})
