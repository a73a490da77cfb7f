/** `new`: what it writes, and what it refuses. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from './terminal.ts'

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

  it('makes a specification whose examples hold, and says how they are run', async () => {
    const { out } = await runCli(['new', folder])
    expect(out).to.include('npx wamp-gateway test api-spec.json')
    const tested = await runCli(['test', '--fail-under', '100', join(folder, 'api-spec.json')])
    expect(tested.code, tested.out).to.equal(0)
  })

  it('names the packages that the program needs, in their versions', async () => {
    await runCli(['new', folder])
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    expect(Object.keys(dependencies)).to.deep.equal(['autobahn'])
    expect(dependencies.autobahn).to.match(/^\d+\.\d+\.\d+$/)
  })

  it('makes hello without --from, and takes a folder that exists and is empty', async () => {
    expect((await runCli(['new', parent])).code).to.equal(0)
    expect(readFileSync(join(parent, 'README.md'), 'utf8')).to.match(/^# Hello/)
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

  it('refuses an unknown example, with 64', async () => {
    const { code, err } = await runCli(['new', folder, '--from', '../../etc'])
    expect([code, err]).to.deep.equal([
      64,
      '--from: expected one of hello, live, oauth2, oidc-login, tools; found "../../etc"\n',
    ])
  })
})
