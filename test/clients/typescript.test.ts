/** A client in TypeScript, made by openapi-typescript of what the bookshop publishes: it compiles, calls every operation, and wrong uses do not compile. */
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { TestGateway } from '#test/support/gateway.ts'
import { openBookshop } from './bookshop.ts'

const run = promisify(execFile)
const source = join(import.meta.dirname, 'typescript')
const modules = join(source, 'node_modules')

describe('A client that openapi-typescript makes', () => {
  let gateway: TestGateway
  let folder: string

  const program = (name: string, ...args: readonly string[]) =>
    run(join(modules, '.bin', name), args, { cwd: folder }).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr }) => `failed: ${stdout}${stderr}`,
    )

  before(async () => {
    if (!existsSync(join(modules, '.package-lock.json'))) {
      execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
        ...{ cwd: source, stdio: 'inherit' },
      })
    }
    gateway = await openBookshop()
    folder = mkdtempSync(join(tmpdir(), 'openapi-client-'))
    for (const name of ['client.ts', 'wrong.ts', 'tsconfig.json', 'package.json'])
      copyFileSync(join(source, name), join(folder, name))
    symlinkSync(modules, join(folder, 'node_modules'))
    for (const version of ['v1', 'v2']) {
      const answer = await fetch(`${gateway.url}/${version}/openapi.json`)
      writeFileSync(join(folder, `${version}.json`), await answer.text())
      await program('openapi-typescript', `${version}.json`, '-o', `${version}.d.ts`)
    }
  })
  after(async () => {
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('compiles, and nothing that the description forbids does', async () => {
    expect(await program('tsc')).to.equal('')
  })

  it('calls every operation of the tutorial', async () => {
    const { stdout } = await run(process.execPath, ['client.ts', gateway.url], { cwd: folder })
    expect(JSON.parse(stdout)).to.deep.equal({
      page: { status: 200, total: 3 },
      added: { status: 201, location: '/v1/books/9780000000001' },
      book: { status: 200, title: 'A Book' },
      none: 404,
      titles: 5,
      me: { name: 'ada', roles: ['staff'] },
      book2: { status: 200, title: 'A Book' },
    })
  })
})
