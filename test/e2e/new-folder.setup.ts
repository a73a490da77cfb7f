/** A folder that `wamp-gateway new` makes: the command validates and serves what is in it. */
import { type ChildProcess, spawn } from 'node:child_process'
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

/** A folder of one's own, and what runs in it. */
export interface NewFolder {
  readonly folder: string
  /** Validates these files of it. */
  validate(files: readonly string[]): Promise<void>
  /** Serves it on free ports. @returns the URL of the gateway */
  serve(...more: string[]): Promise<string>
  /** Starts a program of it; resolves when it prints this line. */
  start(line: string, program: string, ...args: string[]): Promise<void>
  /** Ends what runs, each by SIGTERM, and removes it; of the gateway the exit code is 0. */
  leave(): Promise<void>
}

/** Makes it by these options of `new`. @param name of the folder, within one of its own */
export async function openNewFolder(options: readonly string[], name = 'shop'): Promise<NewFolder> {
  const parent = mkdtempSync(join(tmpdir(), 'gateway-new-'))
  const folder = join(parent, name)
  const children: ChildProcess[] = []
  let gateway: Promise<unknown> | undefined
  const ask = (cwd: string, ...args: string[]) =>
    run(process.execPath, [command, ...args], cwd, environment)
  const spawned = (program: string, args: readonly string[]) => {
    const child = spawn(program, args, {
      ...{ cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'inherit'] },
    })
    children.push(child)
    return child
  }
  expect((await ask(parent, 'new', name, ...options)).code).to.equal(0)
  return {
    folder,
    async validate(files) {
      const { code, stdout, stderr } = await ask(folder, 'validate', ...files)
      expect([code, stderr]).to.deep.equal([0, ''])
      // the paths that a document adds stand indented below its line
      const lines = stdout.split('\n').filter((line) => !line.startsWith(' '))
      expect(lines).to.deep.equal([...files.map((file) => `${file}: ok`), ''])
    },
    async serve(...more) {
      const listen = ['gateway', 'admin'].flatMap((each) => ['--set', `${each}.listen=127.0.0.1:0`])
      const quiet = ['--config', 'gateway.yaml', '--set', 'log.level=silent']
      const child = spawned(process.execPath, [command, 'start', ...quiet, ...listen, ...more])
      gateway = once(child, 'exit')
      let url = ''
      for await (const line of createInterface(child.stdout)) {
        if (line.startsWith('gateway ')) url = line.split(/ +/)[1] ?? ''
        if (line.startsWith('router ')) break
      }
      return url
    },
    async start(wanted, program, ...args) {
      const { stdout } = spawned(program, args)
      for await (const line of createInterface(stdout)) if (line === wanted) return
      throw new Error(`${program} ${args.join(' ')} has ended without "${wanted}"`)
    },
    async leave() {
      for (const child of children) child.kill('SIGTERM')
      await Promise.all(
        children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')),
      )
      rmSync(parent, { recursive: true, force: true })
      if (gateway) expect(await gateway).to.deep.equal([0, null])
    },
  }
}

/** Makes a folder from an example, validates it, and serves it; a request to `path` has this status. */
export async function expectServed(name: string, path: string, status: number): Promise<void> {
  const made = await openNewFolder(['--from', name])
  try {
    await made.validate(['api-spec.json', 'realm.json', 'gateway.yaml'])
    const url = await made.serve()
    const answer = await fetch(url + path, { redirect: 'manual' })
    expect(answer.status).to.equal(status)
  } finally {
    await made.leave()
  }
}
