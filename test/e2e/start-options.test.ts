/** The options of `start`, and npm run validate: what they print, and how they end. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { lines, run } from '#test/support/command.ts'

const root = join(import.meta.dirname, '../..')

describe('the command line', () => {
  let folder: string
  const main = (args: readonly string[], environment?: NodeJS.ProcessEnv) =>
    run(
      process.execPath,
      ['--disable-proto=delete', join(root, 'component/cli/main.ts'), 'start', ...args],
      folder,
      environment,
    )

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-start-'))
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  it('--help tells the flags and every option of the configuration', async () => {
    const { code, stdout, stderr } = await main(['--help'])
    expect([code, stderr]).to.deep.equal([0, ''])
    for (const word of ['wamp-gateway start', '--config', '--set', '--version']) {
      expect(stdout).to.contain(word)
    }
    for (const option of ['gateway.listen', 'wamp.url', 'store.url', 'specs', 'realms']) {
      expect(stdout).to.contain(option)
    }
  })

  for (const [version, expected] of [
    ['20.20.2', 78],
    ['24.14.9', 78],
    ['24.15.0', 0],
    ['26.10.0', 0],
  ] as const) {
    it(`${expected === 0 ? 'runs' : 'refuses to run'} on Node ${version}`, async () => {
      const faked = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
      const check = `await import('${join(root, 'component/node-version.mjs')}')`
      const script = `${faked}; ${check}`
      const done = await run(process.execPath, ['--input-type=module', '-e', script], folder)
      expect(done.code).to.equal(expected)
      if (expected !== 0) expect(done.stderr).to.include(`this is Node ${version}`)
    })
  }

  it('--version prints the version and nothing else', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const done = await main(['--version'])
    expect(done).to.deep.equal({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('wamp-gateway starts Node with the options of V8 that performance.md measures', async () => {
    const tell =
      'data:text/javascript,process.stderr.write(process.execArgv.join(String.fromCharCode(10)))'
    const words = ['--import', tell, join(root, 'bin/wamp-gateway.mjs'), '--version']
    const { code, stderr } = await run(process.execPath, words, folder)
    expect(code).to.equal(0)
    const options = lines(stderr)
    const measured = readFileSync(join(root, 'docs/design/performance.md'), 'utf8')
    for (const words of [
      '--no-allocation-site-pretenuring',
      '--heap-growing-percent=100',
      '--max-inlined-bytecode-size=1000 --max-inlined-bytecode-size-cumulative=3000',
    ]) {
      expect(options).to.include.members(words.split(' '))
      expect(measured).to.include(`| \`${words}\``)
    }
  })

  it('ends with 78 on an unknown option and names it in one line', async () => {
    const { code, stderr } = await main(['--set', 'gateway.lissten=1'])
    expect(stderr).to.contain('unknown option "gateway.lissten"')
    expect(lines(stderr), stderr).to.have.length(1)
    expect(code).to.equal(78)
  })
})

describe('npm run validate', () => {
  let folder: string
  const validate = (...files: string[]) =>
    run('npm', ['run', '--silent', 'validate', '--', ...files], root)

  const good = join(root, 'examples/hello/api-spec.json')

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-validate-'))
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  function write(name: string, text: string): string {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }

  it('says ok and ends with 0 for a good document', async () => {
    expect(await validate(good)).to.deep.equal({ code: 0, stdout: `${good}: ok\n`, stderr: '' })
  })

  it('lists each error with its pointer, goes on with the next file, and ends with 1', async () => {
    const document = JSON.parse(readFileSync(good, 'utf8'))
    document.host = 'not a host'
    document.versions['1.0.0'].base_path = 'v1'
    document.variabels = {}
    const bad = write('bad.json', JSON.stringify(document))
    const { code, stdout, stderr } = await validate(bad, good)
    expect([code, stderr]).to.deep.equal([1, ''])
    expect(stdout).to.contain(`${bad}: 2 errors, 1 warning\n`)
    expect(stdout).to.match(/: error: \/host: /)
    expect(stdout).to.match(/: error: \/versions\/1\.0\.0\/base_path: /)
    expect(stdout).to.match(/: warning: \/variabels: .*variables/)
    expect(stdout).to.match(new RegExp(`^${good}: ok$`, 'm'))
  })

  it('ends with 65 on a text that is no JSON, and tells its place', async () => {
    const broken = write('broken.json', '{"id": ')
    const { code, stdout, stderr } = await validate(broken, good)
    expect([code, stderr]).to.deep.equal([65, ''])
    expect(stdout).to.contain(`${broken}:1:8: error: `)
    expect(stdout).to.contain(`${broken}: 1 error\n${good}: ok\n`)
  })

  it('ends with 66 on a file that cannot be read', async () => {
    const absent = join(folder, 'absent.json')
    const { code, stdout, stderr } = await validate(absent)
    expect([code, stdout, stderr]).to.deep.equal([66, '', `${absent}: no such file\n`])
  })

  it('shows its usage without a file', async () => {
    const { code, stdout, stderr } = await validate()
    expect([code, stdout]).to.deep.equal([64, ''])
    expect(stderr).to.contain('expected [--strict] FILE…')
  })
})
