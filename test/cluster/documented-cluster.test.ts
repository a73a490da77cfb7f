/** The cluster of docs/clustering.md as it stands there: Crossbar.io by the config.json of docs/crossbar.md, three gateways, every curl line. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { allRoles, RouterPeer } from '#test/contract/router/peer.ts'
import { run } from '#test/support/command.ts'
import { freePort } from '#test/support/free-port.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'
import { type Crossbar, startCrossbar } from '#test/support/peers/crossbar.ts'
import { holdsWithin } from './cluster.ts'

const root = join(import.meta.dirname, '../..')
const page = ['docs/clustering.md', 'docs/crossbar.md']
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n')
const ticket = 'a-ticket-of-this-test'

/** The block of the page that holds a text. */
function block(language: string, containing: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))]
  const found = blocks.map(([, text = '']) => text).find((text) => text.includes(containing))
  if (found === undefined) throw new Error(`the page shows no ${language} with ${containing}`)
  return found
}

/** What answers there with a body that holds the text. */
async function says(url: string, text: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => undefined)
  return answer?.ok === true && (await answer.text()).includes(text)
}

describe('the cluster that docs/clustering.md shows', function () {
  this.timeout(300_000)
  const folder = mkdtempSync(join(tmpdir(), 'gateway-documented-'))
  /** Documented port to the one that is used in its place. */
  const ports = new Map<string, number>()
  const children: ChildProcess[] = []
  let crossbar: Crossbar

  const moved = (text: string) =>
    text.replace(/127\.0\.0\.1:(\d+)/g, (_, port) => `127.0.0.1:${ports.get(port) ?? port}`)

  const start = (...words: readonly string[]) => {
    const child = spawn(process.execPath, ['--disable-proto=delete', ...words], {
      cwd: root,
      env: plainEnvironment(),
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    children.push(child)
  }

  before(async () => {
    const configuration = block('json', '"principals"').replace(/\$\{CROSSBAR_TICKET\}/, ticket)
    crossbar = await startCrossbar((port) => {
      ports.set('8080', port)
      expect(configuration).to.include('"port": 8080')
      return JSON.parse(configuration.replace('"port": 8080', `"port": ${port}`))
    })
    for (const n of [1, 2, 3]) {
      for (const end of ['080', '081']) ports.set(`1${n}${end}`, await freePort())
    }
    writeFileSync(join(folder, 'ticket'), `${ticket}\n`)
    writeFileSync(join(folder, 'cluster-key'), '0123456789abcdef0123456789abcdef\n')
    const options = moved(block('yaml', 'com.example.hello')).replaceAll(
      '{ file: ',
      `{ file: ${folder}/`,
    )
    const file = join(folder, 'cluster.yaml')
    writeFileSync(file, `log: { level: silent }\n${options}`)
    start('examples/hello/backend.ts', crossbar.url, 'com.example.hello', `${await freePort()}`)
    for (const n of [1, 2, 3]) {
      const settings = {
        node: `gateway-${n}`,
        data_dir: join(folder, `${n}`),
        'gateway.listen': `127.0.0.1:${ports.get(`1${n}080`)}`,
        'admin.listen': `127.0.0.1:${ports.get(`1${n}081`)}`,
      }
      const flags = Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`])
      start('component/cli/main.ts', 'start', '--config', file, ...flags)
    }
    for (const n of [1, 2, 3]) {
      const admin = `http://127.0.0.1:${ports.get(`1${n}081`)}`
      const others = ['gateway-1', 'gateway-2', 'gateway-3'].filter((one) => one !== `gateway-${n}`)
      expect(await holdsWithin(60_000, () => says(`${admin}/ready`, 'ready'))).to.equal(true)
      for (const other of others) {
        const isHeard = () => says(`${admin}/registry`, `"node":"${other}"`)
        expect(await holdsWithin(60_000, isHeard), other).to.equal(true)
      }
    }
  })

  after(async () => {
    for (const child of children) {
      const ended = once(child, 'exit')
      if (child.kill('SIGINT')) await ended
    }
    await crossbar.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('answers each curl line well', async () => {
    // what one node has acknowledged is on the others some milliseconds later: a line is tried again
    const patient =
      'curl() { command curl --fail -sS --retry 6 --retry-all-errors --retry-max-time 30 "$@"; }'
    const script = ['set -e', patient, 'set -x', moved(block('sh', '/mine/word'))].join('\n')
    const { code, stdout, stderr } = await run('sh', ['-c', script], folder)
    expect(code, stderr).to.equal(0)
    expect(stdout).to.include('Hello, Ada!').and.include('"first"')
    expect(JSON.parse(readFileSync(join(folder, 'changed.json'), 'utf8'))).to.have.nested.property(
      'versions.1.paths./word.get.action.body',
      'second',
    )
    const admin = `http://127.0.0.1:${ports.get('11081')}`
    for (const part of ['"entries":2', '"tombstones":1', '"ignored_messages":0']) {
      expect(await holdsWithin(60_000, () => says(`${admin}/registry`, part)), part).to.equal(true)
    }
  })

  it('lets nobody without the ticket into the realm of the gateways', async () => {
    const stranger = await RouterPeer.open(crossbar.url)
    const hello = { roles: allRoles, authmethods: ['anonymous'] }
    const [code, , reason] = await stranger.ask(1, 'service.gateway', hello)
    expect([code, reason]).to.deep.equal([3, 'wamp.error.no_such_role'])
  })
})
