/** The Python environments of the tests: Crossbar.io with OAuth2 libraries, tools for OpenAPI, and programs with paths of their own kind. Run by itself, it makes them. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The version of Crossbar.io. */
export const crossbar = '26.10.1'

const root = join(import.meta.dirname, '../../..')

/** Packages from PyPI, and where they are installed. */
interface Environment {
  readonly folder: string
  readonly packages: readonly string[]
  /** Is there when an environment need not be made anew; says what was installed. */
  readonly stamp: string
}

const peers: Environment = {
  folder: join(root, '.venv'),
  packages: [
    `crossbar==${crossbar}`,
    'Authlib==1.9.9',
    'PyJWT==2.15.1',
    'prometheus-client==0.26.0',
    'requests==2.34.2',
  ],
  stamp: `crossbar-${crossbar}`,
}

/** They need other versions of what Crossbar.io needs. */
const openapi: Environment = {
  folder: join(root, '.venv-openapi'),
  // httpx, which the first needs, speaks HTTP/2 with h2
  packages: ['openapi-python-client==0.29.1', 'schemathesis==4.32.5', 'h2==4.4.1'],
  stamp: 'packages',
}

const paths: Environment = {
  folder: join(root, '.venv-paths'),
  packages: ['python-gitlab==8.6.0', 'Django==5.2.19', 'djangorestframework==3.18.3'],
  stamp: 'packages',
}

/** The folder of the environment with Crossbar.io. */
export const environment = peers.folder

/**
 * The path of a program of the environment with Crossbar.io, which is made, or brought up to date, when it has to be: needs
 * python3 with venv, and PyPI. About two minutes.
 */
export const pythonProgram = (name: 'crossbar' | 'python'): string => programOf(peers, name)

/** The path of a program of the environment with tools for OpenAPI, which is made when it has to be. About half a minute. */
export const openapiProgram = (name: 'openapi-python-client' | 'python' | 'schemathesis'): string =>
  programOf(openapi, name)

/** The path of a program of the environment with python-gitlab and Django, which is made when it has to be. */
export const pathsProgram = (name: 'python'): string => programOf(paths, name)

function programOf({ folder, packages, stamp: name }: Environment, program: string): string {
  const wanted = packages.join('\n')
  const stamp = join(folder, name)
  const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined
  if (installed !== wanted) {
    process.stdout.write(`installing ${packages.join(', ')}\n`)
    if (installed === undefined) {
      execFileSync('python3', ['-m', 'venv', '--clear', folder], { stdio: 'inherit' })
    }
    const pip = join(folder, 'bin/pip')
    execFileSync(pip, ['install', '--quiet', ...packages], { stdio: 'inherit' })
    writeFileSync(stamp, wanted)
  }
  return join(folder, 'bin', program)
}

if (import.meta.main) {
  pythonProgram('python')
  openapiProgram('python')
  pathsProgram('python')
}
