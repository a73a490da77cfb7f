/** `new`: what it writes, and what it refuses. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from '#test/unit/cli/terminal.ts'

describe('wamp-gateway new', () => {
  let parent: string
  let folder: string
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'gateway-new-'))
    folder = join(parent, 'my-api')
  })
  afterEach(() => rmSync(parent, { recursive: true, force: true }))

  for (const [name, program] of [
    ['hello', 'backend.ts'],
    ['live', 'backend.ts'],
    ['oauth2', 'backend.ts'],
    ['oidc-login', 'provider.ts'],
    ['tools', 'backend.ts'],
  ] as const) {
    it(`makes a folder of the example ${name}, with no path or command of the repository in it`, async () => {
      const { code, out } = await runCli(['new', folder, '--from', name, '--format', 'json'])
      expect(code).to.equal(0)
      const files = readdirSync(folder).sort()
      expect(JSON.parse(out)).to.deep.equal({ folder, files })
      expect(files).to.include.members([
        ...['README.md', 'api-spec.json', 'gateway.yaml', 'package.json', 'realm.json', program],
      ])
      expect(files.filter((file) => file.endsWith('.d.ts'))).to.deep.equal([])
      for (const file of ['README.md', 'gateway.yaml'])
        expect(readFileSync(join(folder, file), 'utf8'), file).to.not.match(
          /npm (start|run)|examples\/|\]\(\.\./,
        )
    })
  }

  for (const router of ['embedded', 'crossbar'])
    for (const lang of ['js', 'python'])
      it(`makes an API named after its folder, for ${router} with ${lang}: its examples hold, and it names nothing else`, async () => {
        const { code, out } = await runCli(['new', folder, '--router', router, '--lang', lang])
        expect(code).to.equal(0)
        const read = (name: string) => readFileSync(join(folder, name), 'utf8')
        const { id, name, realm_uri } = JSON.parse(read('api-spec.json'))
        expect([id, name, realm_uri]).to.deep.equal([
          ...['com.example.my_api', 'my-api', 'com.example.my_api'],
        ])
        const backend = lang === 'js' ? 'backend.js' : 'backend.py'
        const { scripts, dependencies } = JSON.parse(read('package.json'))
        expect(scripts.backend).to.include(backend)
        expect(read(backend)).to.include('com.example.my_api.hello')
        for (const script of Object.keys(scripts))
          expect(read('README.md'), script).to.match(new RegExp(`npm (run )?${script}\\b`))
        expect('autobahn' in dependencies).to.equal(lang === 'js')
        const tested = await runCli(['test', '--fail-under', '100', join(folder, 'api-spec.json')])
        expect(tested.code, tested.out).to.equal(0)
        const own = router === 'crossbar' ? 'crossbar/config.json' : 'realm.json'
        expect(read(own)).to.include('"com.example.my_api"')
        expect(out).to.include(join(folder, own))
        expect(out)
          .to.include('  npm test\n')
          .and.include('  npm start   # in a terminal of its own\n')
        expect(read('README.md')).to.include('](node_modules/wamp-gateway/docs/README.md)')
        if (router === 'crossbar') {
          expect(read('cluster-key')).to.match(/^[0-9a-f]{64}\n$/)
          expect(statSync(join(folder, 'cluster-key')).mode & 0o077).to.equal(0)
          expect(read('.gitignore')).to.include('cluster-key\n')
        }
      })

  for (const [name, uri, label] of [
    ['Shop', 'com.example.shop', 'Shop'],
    ['a.b c', 'com.example.a_b_c', 'a.b c'],
    ['x"{{y}}', 'com.example.xy', 'xy'],
    ['--', 'com.example.api', '--'],
    ['été', 'com.example.t', 't'],
    ['7', 'com.example.7', '7'],
  ] as const)
    it(`makes URIs of the folder ${name} that every router takes`, async () => {
      await runCli(['new', '--', join(parent, name)])
      const file = join(parent, name, 'api-spec.json')
      const { id, name: own } = JSON.parse(readFileSync(file, 'utf8'))
      expect([id, own]).to.deep.equal([uri, label])
      expect((await runCli(['validate', file])).code).to.equal(0)
    })

  it('makes a specification from an example whose examples hold, and says how they are run', async () => {
    const { out } = await runCli(['new', folder, '--from', 'hello'])
    expect(out).to.include('npx wamp-gateway test api-spec.json')
    const tested = await runCli(['test', '--fail-under', '100', join(folder, 'api-spec.json')])
    expect(tested.code, tested.out).to.equal(0)
  })

  it('names the packages that the program needs, in their versions', async () => {
    await runCli(['new', folder, '--from', 'hello'])
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect(Object.keys(dependencies)).to.deep.equal(['autobahn'])
    expect(dependencies.autobahn).to.match(/^\d+\.\d+\.\d+$/)
  })

  it('links the command of a clone, from the folder to the clone', async () => {
    await runCli(['new', folder])
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const link = String(dependencies['wamp-gateway']).replace(/^file:/, '')
    const { name } = JSON.parse(readFileSync(join(folder, link, 'package.json'), 'utf8'))
    expect(name).to.equal('wamp-gateway')
  })

  it('takes a folder that exists and is empty', async () => {
    expect((await runCli(['new', parent])).code).to.equal(0)
    expect(readFileSync(join(parent, 'README.md'), 'utf8')).to.match(/^# gateway-new-/)
  })

  it('refuses a folder that is not empty, with 1, and writes nothing', async () => {
    writeFileSync(join(parent, 'mine'), 'x')
    const { code, err } = await runCli(['new', parent])
    expect([code, err]).to.deep.equal([1, `${parent} is not empty\n`])
    expect(readdirSync(parent)).to.deep.equal(['mine'])
  })

  it('refuses a file in the place of the folder, with 66', async () => {
    writeFileSync(folder, 'x')
    expect((await runCli(['new', folder])).code).to.equal(66)
  })

  for (const [option, value, allowed] of [
    ['from', '../../etc', 'hello, live, oauth2, oidc-login, tools'],
    ['router', 'nexus', 'embedded, crossbar'],
    ['lang', 'ts', 'js, python'],
  ] as const)
    it(`refuses an unknown ${option}, with 64`, async () => {
      const { code, err } = await runCli(['new', folder, `--${option}`, value])
      expect([code, err]).to.deep.equal([
        64,
        `--${option}: expected one of ${allowed}; found "${value}"\n`,
      ])
    })

  it('refuses a router or language beside an example, with 64', async () => {
    const { code, err } = await runCli(['new', folder, '--from', 'hello', '--lang', 'js'])
    expect([code, err]).to.deep.equal([64, '--lang: an example has its own; leave --from out\n'])
  })
})
