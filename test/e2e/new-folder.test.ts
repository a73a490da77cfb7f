/** The folders that `wamp-gateway new` makes: the command validates and serves what is in them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { run } from '#test/support/command.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'

const command = join(import.meta.dirname, '../../bin/wamp-gateway.mjs')

const secrets = ['WEBAPP_SECRET', 'ALICE_PASSWORD', 'BOB_PASSWORD', 'ORDERS_SECRET', 'NOTES_SECRET']

describe('a folder that wamp-gateway new makes', function () {
  this.timeout(30_000)
  let folder: string
  const environment = {
    ...plainEnvironment(),
    ...Object.fromEntries(secrets.map((name) => [name, `${name} of a test`])),
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-new-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  for (const [name, path, status] of [
    ['hello', '/v1.0/about', 200],
    ['live', '/counter?limit=x', 400],
    ['oauth2', '/v1.0/orders/7', 401],
    ['oidc-login', '/api/me', 401],
    ['tools', '/v1/mcp', 405],
  ] as const) {
    it(`from ${name} is valid, and is served by start --config`, async () => {
      const ask = (...args: string[]) =>
        run(process.execPath, [command, ...args], folder, environment)
      expect((await ask('new', '--from', name)).code).to.equal(0)
      const files = ['api-spec.json', 'realm.json', 'gateway.yaml']
      expect(await ask('validate', ...files)).to.deep.equal({
        ...{ code: 0, stderr: '' },
        stdout: files.map((file) => `${file}: ok\n`).join(''),
      })

      const listen = ['gateway', 'admin'].flatMap((each) => ['--set', `${each}.listen=127.0.0.1:0`])
      const child = spawn(
        process.execPath,
        [command, 'start', '--config', 'gateway.yaml', '--set', 'log.level=silent', ...listen],
        { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'inherit'] },
      )
      const ended = once(child, 'exit')
      let url = ''
      for await (const line of createInterface(child.stdout)) {
        if (line.startsWith('gateway ')) url = line.split(/ +/)[1] ?? ''
        if (line.startsWith('router ')) break
      }
      const answer = await fetch(url + path, { redirect: 'manual' })
      expect(answer.status).to.equal(status)
      child.kill('SIGTERM')
      expect(await ended).to.deep.equal([0, null])
    })
  }
})
