/** The image of deploy/Dockerfile, built without a registry and run by podman without privileges, on a file system that it cannot write. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { debianProgram, deployFolder } from '#test/deploy/programs.ts'
import { until } from '#test/support/running/until.ts'
import { startedAt } from '#test/support/started.ts'
import { buildImage } from './build.ts'

const name = 'localhost/wamp-gateway:test'

/** A user without privileges, as whom podman runs where the tests run as root. */
const stranger = 65_532

describe('the image', function () {
  this.timeout(600_000)
  let folder: string
  let home: string
  let container: ChildProcess

  const environment = () => ({ PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: home })

  /** A podman command, without privileges. */
  const podman = (words: readonly string[]): [string, string[]] => {
    // cgroups of version 1 and 2 side by side are too much for crun
    const own = ['--runtime', debianProgram('runc', 'runc'), '--cgroup-manager', 'cgroupfs']
    const command = [debianProgram('podman', 'podman'), ...own, ...words]
    if (process.getuid?.() !== 0) return ['env', command]
    const user = [`--reuid=${stranger}`, `--regid=${stranger}`, '--clear-groups']
    return ['setpriv', [...user, ...command]]
  }

  const run = (...words: readonly string[]): string => {
    const [program, all] = podman(words)
    const stdio = ['ignore', 'pipe', 'pipe'] as const
    return execFileSync(program, all, {
      cwd: home,
      env: environment(),
      encoding: 'utf8',
      stdio: [...stdio],
    })
  }

  /** Runs Node within the container. */
  const inside = (script: string) => run('exec', 'gateway', '/usr/local/bin/node', '-e', script)

  /** GETs a URL within the container. */
  const ask = (url: string) =>
    inside(
      `fetch('${url}').then(async (answer) => console.log(answer.status, await answer.text()))`,
    ).trim()

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-image-'))
    chmodSync(folder, 0o755)
    home = join(folder, 'home')
    mkdirSync(join(home, '.config/containers'), { recursive: true })
    // one user id is all that a user without /etc/subuid has
    const storage =
      '[storage]\ndriver = "vfs"\n[storage.options.vfs]\nignore_chown_errors = "true"\n'
    writeFileSync(join(home, '.config/containers/storage.conf'), storage)
    if (process.getuid?.() === 0) {
      for (const path of ['', '.config', '.config/containers'])
        chownSync(join(home, path), stranger, stranger)
    }
    run('load', '--quiet', '--input', buildImage(folder, name))
    const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']
    const hello = (file: string) => `[/app/examples/hello/${file}]`
    const settings = {
      GATEWAY_REALMS: hello('realm.json'),
      GATEWAY_SPECS: hello('api-spec.json'),
      GATEWAY_GATEWAY__DRAIN_DELAY: '0',
    }
    const [program, words] = podman([
      ...[
        'run',
        '--rm',
        '--name',
        'gateway',
        '--user',
        '0',
        '--network',
        'none',
        '--no-healthcheck',
      ],
      ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', ...limits],
      ...Object.entries(settings).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
      name,
    ])
    container = spawn(program, words, {
      cwd: home,
      env: environment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    container.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    const isStarted = () => startedAt(output) !== undefined || container.exitCode !== null
    await until('the gateway starts', isStarted, 120_000)
    expect(container.exitCode, output).to.equal(null)
  })

  after(async () => {
    if (container?.exitCode === null) {
      container.kill('SIGKILL')
      run('rm', '--force', '--time', '0', 'gateway')
    }
    // ends the process by which podman keeps its user namespace
    if (home !== undefined) run('system', 'migrate')
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })

  it('runs as a user that is not root, from node itself', () => {
    const [{ Config }] = JSON.parse(run('image', 'inspect', name))
    expect(Config).to.deep.include({
      User: '65532:65532',
      Entrypoint: ['/usr/local/bin/node', '/app/bin/wamp-gateway.mjs'],
      StopSignal: 'SIGTERM',
    })
  })

  it('calls the backend of the hello example', async () => {
    run(
      'exec',
      '--detach',
      'gateway',
      '/usr/local/bin/node',
      '/app/examples/hello/backend.js',
      'ws://127.0.0.1:8080/ws',
    )
    const greets = () => ask('http://127.0.0.1:8080/hello/Ada') === '200 {"greeting":"Hello, Ada!"}'
    await until('the backend answers', greets, 60_000)
  })

  it('is healthy as its HEALTHCHECK judges', () => {
    const [{ Healthcheck }] = JSON.parse(run('image', 'inspect', name))
    const [kind, ...words] = Healthcheck.Test as string[]
    expect(kind).to.equal('CMD')
    run('exec', 'gateway', ...words)
    expect(ask('http://127.0.0.1:8082/ready')).to.equal('200 ready')
  })

  it('serves management on the loopback of the container only', () => {
    expect(ask('http://127.0.0.1:18081/api_specs')).to.match(/^200 /)
    const command = ['/usr/local/bin/node', '/app/bin/wamp-gateway.mjs', 'list']
    expect(run('exec', 'gateway', ...command)).to.include('com.example.hello')
    expect(ask('http://127.0.0.1:8080/api_specs')).to.match(/^404 /)
    expect(ask('http://127.0.0.1:8082/api_specs')).to.match(/^404 /)
  })

  it('writes to /data and /tmp only', () => {
    const script = (path: string) =>
      `try { require('fs').writeFileSync('${path}/probe', ''); console.log('written') } catch ({ code }) { console.log(code) }`
    expect(inside(script('/app')).trim()).to.equal('EROFS')
    expect(inside(script('/data')).trim()).to.equal('written')
  })

  it('has no shell', () => {
    expect(
      inside("console.log(['/bin/sh', '/bin/bash'].some(require('fs').existsSync))").trim(),
    ).to.equal('false')
  })

  it('leaves in order on SIGTERM', async () => {
    const ended = once(container, 'exit')
    container.kill('SIGTERM')
    expect((await ended)[0]).to.equal(0)
  })
})

describe('deploy/Dockerfile', () => {
  it('ignores what no image needs', () => {
    const lines = readFileSync(join(deployFolder, 'Dockerfile.dockerignore'), 'utf8').split('\n')
    expect(lines).to.include.members(['.git', 'node_modules', 'data', 'dist'])
  })
})
