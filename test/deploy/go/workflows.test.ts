/** The workflows of GitHub, as actionlint judges them. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { deployFolder } from '#test/deploy/programs.ts'
import { run } from '#test/support/command.ts'
import { goTool } from './tools.ts'

const root = join(deployFolder, '..')
const files = globSync('.github/workflows/*.yml', { cwd: root })
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>
}

describe('the workflows', function () {
  this.timeout(600_000)

  it('have no mistake that actionlint finds', async () => {
    expect(files).to.have.members(['.github/workflows/ci.yml', '.github/workflows/release.yml'])
    // shellcheck and pyflakes are used where they are installed: the result is to be the same everywhere
    const words = ['-no-color', '-shellcheck=', '-pyflakes=', ...files]
    const { code, stdout, stderr } = await run(goTool('actionlint'), words, root)
    expect(code, `${stdout}${stderr}`).to.equal(0)
  })

  for (const file of files) {
    it(`run npm scripts that there are: ${file}`, () => {
      const { jobs } = parse(readFileSync(join(root, file), 'utf8'))
      const steps = Object.values(jobs as Record<string, { steps: { run?: string }[] }>)
      const commands = steps.flatMap((job) => job.steps.map((step) => step.run ?? '')).join('\n')
      for (const [, name = ''] of commands.matchAll(/npm run ([\w:]+)/g))
        expect(scripts, name).to.have.property(name)
    })

    it(`give no job more than it needs: ${file}`, () => {
      const { permissions } = parse(readFileSync(join(root, file), 'utf8'))
      expect(permissions).to.deep.equal({ contents: 'read' })
    })
  }
})
