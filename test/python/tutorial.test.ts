/** docs/tutorial.md, typed in word by word, on Crossbar.io as the page configures it. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { freePort } from '#test/support/free-port.ts'
import type { Step } from '#test/support/pages/steps.ts'
import { openTutorial, type Student, tutorial } from '#test/support/pages/tutorial.ts'
import { crossbar, environment, pythonProgram } from '#test/support/peers/python-environment.ts'

/** Whether a step installs Crossbar.io, which takes minutes: the environment of the tests has that version already. */
const isInstallation = (step: Step) => step.kind === 'run' && step.text.includes('pip install')

describe('docs/tutorial.md on Crossbar.io', function () {
  this.timeout(180_000)
  let student: Student

  before(async () => {
    pythonProgram('crossbar')
    student = await openTutorial(await freePort())
  })
  after(() => student?.leave())

  async function follow(step: Step): Promise<void> {
    if (!isInstallation(step)) return student.reader.follow(step)
    expect(step.text).to.include(`pip install --quiet crossbar==${crossbar}`)
    symlinkSync(environment, join(student.reader.folder, '.venv'))
  }

  for (const [heading, steps] of tutorial) {
    it(`comes to what it says: ${heading}`, async () => {
      for (const step of steps) await follow(step)
    })
  }
})
