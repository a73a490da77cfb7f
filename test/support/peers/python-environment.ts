/** The Python environment of the tests in .venv: Crossbar.io, and independent OAuth2 libraries. Run by itself, it makes it. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of Crossbar.io. */
export const crossbar = '26.10.1'

/** From PyPI. */
const packages = [
  `crossbar==${crossbar}`,
  'Authlib==1.9.9',
  'PyJWT==2.15.1',
  'requests==2.34.2',
] as const

/** Its folder. */
export const environment = join(import.meta.dirname, '../../../.venv')

/** Is there when that version of Crossbar.io is; says what was installed with it. */
const stamp = join(environment, `crossbar-${crossbar}`)

/**
 * The path of a program of the environment, which is made, or brought up to date, when it has to be: needs python3 with
 * venv, and PyPI. About two minutes.
 */
export function pythonProgram(name: 'crossbar' | 'python'): string {
  const wanted = packages.join('\n')
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined
  if (installed !== wanted) {
    process.stdout.write(`installing ${packages.join(', ')} into .venv\n`)
    if (installed === undefined) {
      execFileSync('python3', ['-m', 'venv', '--clear', environment], { stdio: 'inherit' })
    }
    const pip = join(environment, 'bin/pip')
    execFileSync(pip, ['install', '--quiet', ...packages], { stdio: 'inherit' })
    writeFileSync(stamp, wanted)
  }
  return join(environment, 'bin', name)
}

if (import.meta.main) pythonProgram('python')
