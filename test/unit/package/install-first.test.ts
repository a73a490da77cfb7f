/** What `npm start` and `npm test` do first in a clone: they install the dependencies where these are missing or old. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../../..')
const program = 'package/install-first.mjs'

describe('package/install-first.mjs', () => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-install-'))
    mkdirSync(join(folder, 'package'))
    cpSync(join(root, program), join(folder, program))
    // in place of npm: tells its arguments and says something
    writeFileSync(
      join(folder, 'npm.cjs'),
      'require("node:fs").writeFileSync("called", process.argv.slice(2).join(" "))\n' +
        'console.log("added 1 package")\n' +
        'process.exitCode = Number(process.env.NPM_ENDS_WITH)\n',
    )
  })

  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Writes a file of so many seconds since the epoch. */
  const write = (name: string, seconds: number) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), '{}')
    utimesSync(join(folder, name), seconds, seconds)
  }

  const run = (code = 0) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, program)], {
      encoding: 'utf8',
      env: { npm_execpath: join(folder, 'npm.cjs'), NPM_ENDS_WITH: String(code) },
    })
    const called = join(folder, 'called')
    return { status, stdout, stderr, npm: existsSync(called) ? readFileSync(called, 'utf8') : '' }
  }

  const lock = 'package-lock.json'
  const installed = 'node_modules/.package-lock.json'
  const missing = 'the dependencies are not installed: npm ci runs first\nadded 1 package\n'
  const old =
    'the dependencies are older than package-lock.json: npm ci runs first\nadded 1 package\n'
  const rows: Readonly<Record<string, readonly [Readonly<Record<string, number>>, string]>> = {
    'nothing is installed': [{ [lock]: 100 }, missing],
    'an installation was interrupted': [{ [lock]: 100, 'node_modules/koa/a.js': 200 }, missing],
    'package-lock.json has changed since': [{ [lock]: 200, [installed]: 100 }, old],
    'they were installed after package-lock.json was written': [
      { [lock]: 100, [installed]: 200 },
      '',
    ],
    'they were installed in the same moment': [{ [lock]: 100, [installed]: 100 }, ''],
    'there is no package-lock.json': [{ [installed]: 100 }, ''],
  }
  for (const [title, [files, told]] of Object.entries(rows)) {
    it(`${told === '' ? 'does nothing' : 'runs npm ci and says so'} where ${title}`, () => {
      for (const [name, seconds] of Object.entries(files)) write(name, seconds)
      expect(run()).to.deep.equal({
        status: 0,
        stdout: '',
        stderr: told,
        npm: told === '' ? '' : 'ci',
      })
    })
  }

  it('fails as npm ci does, so that the command does not start', () => {
    expect(run(7)).to.include({ status: 7, stderr: `${missing}npm ci has failed\n` })
  })

  it('runs before npm start and npm test', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    for (const name of ['prestart', 'pretest'])
      expect(scripts).to.include({ [name]: `node ${program}` })
  })
})
