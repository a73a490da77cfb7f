/** The options of `start`, and npm run validate: what they print, and how they end. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startComponent } from '#component/component.ts'
import { readConfig } from '#component/config/config.ts'
import { openLog } from '#component/log.ts'
import { withClusterKey } from '#test/support/cluster-key.ts'
import { lines, run, takePort } from '#test/support/command.ts'

const root = join(import.meta.dirname, '../..')

describe('the command line', function () {
  this.timeout(30_000)
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

  const mistakes: {
    title: string
    args?: readonly string[]
    environment?: NodeJS.ProcessEnv
    name: string
  }[] = [
    { title: 'an unknown option', args: ['--set', 'gateway.lissten=1'], name: 'gateway.lissten' },
    {
      title: 'an unknown variable of the environment',
      environment: { GATEWAY_LOG__LEVLE: 'info' },
      name: 'log.levle',
    },
    { title: 'a wrong value', args: ['--set', 'log.level=loud'], name: 'log.level' },
    { title: 'an absent file', args: ['--config', 'absent.yaml'], name: 'absent.yaml' },
    {
      title: 'an address that is none',
      args: ['--set', 'gateway.listen=nowhere:port'],
      name: 'gateway.listen',
    },
    {
      title: 'an address of health.listen that is none',
      args: ['--set', 'health.listen=nowhere:port'],
      name: 'health.listen',
    },
    {
      title: 'a router that is none',
      args: ['--set', 'wamp.url=http://127.0.0.1/'],
      name: 'wamp.url',
    },
    {
      title: 'an admin listener that everybody can reach',
      args: ['--set', 'admin.listen=0.0.0.0:0'],
      name: 'admin.listen',
    },
  ]
  for (const [key, value] of [
    ['specs', '[a'],
    ['gateway.trusted_proxies', '[nonsense]'],
    ['gateway.tls', '{cert: absent.pem, key: absent.pem}'],
    ['data_dir', '/dev/null'],
    ['store.url', 'mysql://nowhere'],
    ['wamp.auth', '{authmethod: ticket, authid: a}'],
    ['wamp.realms', '{com.example: {authmethod: cryptosign, authid: a, key: zz}}'],
  ] as const) {
    const args = ['--set', 'admin.listen=127.0.0.1:0', '--set', 'gateway.listen=127.0.0.1:0']
    mistakes.push({
      title: `a ${key} that cannot be used`,
      args: [...args, '--set', `${key}=${value}`],
      name: key,
    })
  }
  for (const { title, args = [], environment, name } of mistakes) {
    it(`ends with 78 on ${title} and names it in one line`, async () => {
      const { code, stderr } = await main(args, environment)
      expect(stderr).to.contain(name)
      expect(lines(stderr), stderr).to.have.length(1)
      expect(code).to.equal(78)
    })
  }

  it('ends with 78 on a refused file with fail_on_refused_files, and names its issues', async () => {
    const file = join(folder, 'refused.spec.json')
    writeFileSync(file, JSON.stringify({ id: 'com.example.refused', host: '_' }))
    for (const workers of [1, 2]) {
      const settings = {
        'gateway.listen': '127.0.0.1:0',
        'admin.listen': '127.0.0.1:0',
        fail_on_refused_files: 'true',
        workers: String(workers),
        specs: JSON.stringify([file]),
      }
      const flags = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
      const { code, stderr } = await main(flags)
      expect(code, stderr).to.equal(78)
      expect(lines(stderr)[0]).to.equal(
        `${file}: /realm_uri: realm_uri is missing: expected the URI of the realm that the API targets`,
      )
      expect(lines(stderr).at(-1)).to.contain('fail_on_refused_files')
    }
  })

  for (const [title, word] of [
    ['an unknown flag', '--lissten'],
    ['a stray word', 'gateway.yaml'],
  ] as const) {
    it(`ends with 64 on ${title} and names it in one line`, async () => {
      const { code, stderr } = await main([word])
      expect(stderr).to.contain(word)
      expect(lines(stderr), stderr).to.have.length(1)
      expect(code).to.equal(64)
    })
  }

  it('names the file of a store that is no database', async () => {
    const store = join(folder, 'broken.db')
    writeFileSync(store, 'this is no database'.repeat(1000))
    const { code, stderr } = await main(['--set', `store.url=sqlite:${store}`])
    expect(stderr).to.match(
      /^store sqlite:\S+broken\.db: the file of the store is not a database: stop the gateway and restore a backup/,
    )
    expect(code).to.equal(70)
  })

  it('tells what the router must allow when it refuses the procedures', async () => {
    const router = await startComponent(
      readConfig(
        undefined,
        {},
        {
          'gateway.listen': '127.0.0.1:0',
          'admin.listen': '127.0.0.1:0',
          data_dir: join(folder, 'router'),
        },
      ),
      openLog('silent'),
    )
    const settings = { 'gateway.listen': '127.0.0.1:0', 'admin.listen': '127.0.0.1:0' }
    const flags = Object.entries(withClusterKey({ ...settings, 'wamp.url': router.routerUrl }))
    const { code, stderr } = await main(
      flags.flatMap(([key, value]) => ['--set', `${key}=${value}`]),
    )
    await router.stop(0)
    expect(stderr).to.equal(
      'the router does not allow the session of wamp.auth to register "service." on the realm service.gateway: wamp.error.not_authorized: the session may not register this URI with these options\n',
    )
    expect(code).to.equal(70)
  })

  for (const option of ['gateway.listen', 'admin.listen', 'health.listen', 'router.listen']) {
    it(`ends with one line that says that the address of ${option} is taken`, async () => {
      const taken = await takePort()
      const settings = {
        'gateway.listen': '127.0.0.1:0',
        'admin.listen': '127.0.0.1:0',
        [option]: `127.0.0.1:${taken.port}`,
      }
      const flags = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
      const { code, stderr } = await main(flags)
      taken.free()
      expect(stderr).to.contain(`127.0.0.1:${taken.port}`)
      expect(lines(stderr), stderr).to.have.length(1)
      expect(code).to.equal(70)
    })
  }
})

describe('npm run validate', function () {
  this.timeout(30_000)
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
