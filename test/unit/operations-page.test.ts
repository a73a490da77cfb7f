/** The service that docs/operations.md shows runs what `npm start` runs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')

describe('the unit of systemd in docs/operations.md', () => {
  it('runs what npm start runs, with the same environment', () => {
    const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')
    const manifest = readFileSync(join(root, 'package.json'), 'utf8')
    const { scripts } = JSON.parse(manifest) as { scripts: { start: string } }
    const words = scripts.start.split(' ')
    const program = words.indexOf('node')
    const environment = words.slice(0, program).map((pair) => `Environment=${pair}\n`)
    const command = words.slice(program)
    const folder = '/opt/wamp-gateway'
    expect(page)
      .to.include(`\nWorkingDirectory=${folder}\n${environment.join('')}`)
      .and.include(`\nExecStart=${folder}/node_modules/.bin/${command.join(' ')} --config `)
  })
})
