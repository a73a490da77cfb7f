/** A folder that `wamp-gateway new` makes: the command validates and serves what is in it. */
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

const environment = {
  ...plainEnvironment(),
  ...Object.fromEntries(secrets.map((name) => [name, `${name} of a test`])),
}

/** Makes a folder from an example, validates it, and serves it; a request to `path` has this status. */
export async function expectServed(name: string, path: string, status: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-new-'))
  try {
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
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
