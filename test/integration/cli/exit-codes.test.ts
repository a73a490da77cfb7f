/** The exit codes of commands that a gateway refuses: credentials, rights, and a gateway that is stopping. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { heldTimer } from '#test/support/running/held-timer.ts'
import { runCli } from '#test/unit/cli/terminal.ts'
import { documentOf } from './folder-fixture.ts'

const admins = 'com.example.admins'

describe('the exit code of a command', () => {
  let folder: string
  let gateway: TestGateway
  let file: string
  const keys: Record<string, string> = {}

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-exit-'))
    file = join(folder, 'a.json')
    writeFileSync(file, JSON.stringify(documentOf('com.example.a', { '/a': 1 })))
    gateway = await startGateway({ 'admin.realm': admins }, { isEmbedded: true })
    const users = ['spec_loader', 'spec_reader', 'others'].map((group) => ({
      ...{ username: group, password: 'geheim', groups: [group] },
    }))
    await send(gateway.adminUrl, '/realms', { method: 'POST', body: { uri: admins, users } })
    for (const { username } of users) {
      const path = `/realms/${admins}/users/${username}/api_keys`
      const answer = await send(gateway.adminUrl, path, { method: 'POST', body: {} })
      keys[username] = (answer.json() as { api_key: string }).api_key
    }
  })
  after(async () => {
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (token: string | undefined, ...args: readonly string[]) =>
    runCli([...args, '--admin', gateway.adminUrl], token ? { WAMP_GATEWAY_TOKEN: token } : {})

  it('is 77 when the token is not valid, for every command that asks, and nothing of it is printed', async () => {
    const commands = [
      ...[
        ['list'],
        ['get', 'a'],
        ['info', 'a'],
        ['versions', 'a'],
        ['load', file],
        ['delete', 'a'],
      ],
      ...[
        ['diff', folder],
        ['sync', folder],
        ['export', folder],
        ['rollback', 'a', '1'],
        ['routes'],
      ],
    ]
    for (const args of commands) {
      const { code, out, err } = await run('wrong-token', ...args)
      expect([code, out, err], args[0]).to.deep.equal([
        ...[77, '', 'the credentials are not valid for management\n'],
      ])
    }
  })

  it('is 77 when the user may only read, or nothing', async () => {
    expect((await run(keys.spec_reader, 'list')).code).to.equal(0)
    for (const args of [
      ['load', file],
      ['sync', folder],
      ['delete', 'com.example.a'],
    ])
      expect((await run(keys.spec_reader, ...args)).code, args[0]).to.equal(77)
    expect((await run(keys.others, 'list')).code).to.equal(77)
  })

  it('is 0 with a token from the environment or from a file', async () => {
    expect((await run(keys.spec_loader, 'load', file)).code).to.equal(0)
    const token = join(folder, 'token')
    writeFileSync(token, `${keys.spec_loader}\n`)
    expect((await run('wrong-token', 'list', '--token-file', token)).code).to.equal(0)
  })

  it('is 1 for a document that does not exist', async () => {
    for (const command of ['get', 'info', 'versions', 'delete'])
      expect((await run(undefined, command, 'com.example.none')).code, command).to.equal(1)
  })

  it('is 75 for a change while the gateway is stopping, and 1 for status; 69 afterwards', async () => {
    const delay = 123_456
    const { clock, end } = heldTimer(delay)
    const other = await startGateway({}, { clock, isEmbedded: true })
    const ask = (...args: readonly string[]) => runCli([...args, '--admin', other.adminUrl])
    const stopped = other.component.stop(delay)
    const answers = [await ask('load', file), await ask('sync', folder), await ask('status')]
    expect(answers.map(({ code }) => code)).to.deep.equal([75, 75, 1])
    expect(answers[0]?.err).to.equal('this node is stopping\n')
    end()
    await stopped
    expect((await ask('list')).code).to.equal(69)
    await other.stop()
  })
})
