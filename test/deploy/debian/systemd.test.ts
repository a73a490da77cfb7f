/** deploy/wamp-gateway.service, as systemd judges it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { debianProgram, deployFolder } from '#test/deploy/programs.ts'
import { run } from '#test/support/command.ts'

const unit = join(deployFolder, 'wamp-gateway.service')

/** The most exposed that the unit may be, of 10 in tenths (`systemd-analyze security`). */
const threshold = 25

describe('the unit of systemd', () => {
  let folder: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-unit-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const analyze = (...words: readonly string[]) =>
    run(debianProgram('systemd-analyze', 'systemd'), words, folder)

  it('has no mistake that systemd-analyze verify finds', async () => {
    // it asks for the program, which is installed elsewhere
    const text = readFileSync(unit, 'utf8').replace(
      /^ExecStart=\S+/m,
      `ExecStart=${process.execPath}`,
    )
    const copy = join(folder, 'wamp-gateway.service')
    writeFileSync(copy, text)
    const { code, stdout, stderr } = await analyze('verify', '--man=no', copy)
    // it judges the units that this machine has, too
    const own = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('wamp-gateway'))
    expect(own).to.deep.equal([])
    expect(code, stderr).to.equal(0)
  })

  it(`is exposed to at most ${threshold / 10} of 10`, async () => {
    const words = ['security', '--offline=yes', `--threshold=${threshold}`, unit]
    const { code, stdout, stderr } = await analyze(...words)
    expect(stdout).to.match(/Overall exposure level for wamp-gateway\.service: \d\.\d OK/)
    expect(code, stderr).to.equal(0)
  })
})
