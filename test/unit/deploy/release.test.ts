/** What .github/workflows/release.yml demands of a release holds: package, chart and changelog have one version. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { version } from '#component/version.ts'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8')

describe('the version of the package', () => {
  it('is that of the chart and of its program', () => {
    const chart = parse(read('deploy/chart/Chart.yaml'))
    expect([chart.version, chart.appVersion]).to.deep.equal([version(), version()])
  })

  it('has a section with its date in the changelog, which is the text of the release', () => {
    const heads = read('CHANGELOG.md').match(/^## .*$/gm) ?? []
    const own = heads.filter((head) => head.startsWith(`## ${version()} - `))
    expect(own).to.have.lengthOf(1)
    expect(own[0]).to.match(/ - \d{4}-\d{2}-\d{2}$/)
  })
})
