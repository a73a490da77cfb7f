/** What `npm run pack` makes, installed into an empty folder as its users install it: the command, an import, its types, its schemas. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { brotliCompressSync } from 'node:zlib'
import { expect } from 'chai'
import { ConfigError, readConfig } from '#component/config/config.ts'
import { exporterPackage } from '#component/telemetry/otlp/collector.ts'
import { launchBrowser } from '#test/browser/chromium.ts'
import { run } from '#test/support/command.ts'
import { plainEnvironment } from '#test/support/gateway-process.ts'

const root = join(import.meta.dirname, '../..')

/** Eleven lines that run two gateways: docs/embedding.md shows them. */
const program = () =>
  /```js\n(\/\/ two gateways\n.*?)```/s.exec(
    readFileSync(join(root, 'docs/embedding.md'), 'utf8'),
  )?.[1] ?? ''

describe('the published package', function () {
  this.timeout(300_000)
  let folder: string
  let installed: string
  let installation: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-package-'))
    const made = execFileSync(process.execPath, ['package/pack.ts'], {
      cwd: root,
      encoding: 'utf8',
    })
    const archive = /^(dist\/\S+\.tgz)/m.exec(made)?.[1] ?? ''
    writeFileSync(
      join(folder, 'package.json'),
      '{"name": "user", "version": "1.0.0", "type": "module"}',
    )
    // the verbose log names each script that it runs
    installation = execFileSync(
      'npm',
      ['install', '--no-audit', '--no-fund', '--loglevel=verbose', join(root, archive)],
      { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    )
    installed = join(folder, 'node_modules/wamp-gateway')
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  const manifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  const command = (...args: string[]) =>
    run(process.execPath, [join(folder, 'node_modules/.bin/wamp-gateway'), ...args], folder)

  it('brings no Node, no sources and no tests', () => {
    expect(existsSync(join(folder, 'node_modules/.bin/node'))).to.equal(false)
    const files = globSync('{bin,component,http,procedures,examples,schemas}/**/*', {
      cwd: installed,
    })
    expect(files).to.include.members(['http/console/page/index.html', 'http/console/page/main.js'])
    expect(existsSync(join(folder, 'node_modules/htm/preact/standalone.mjs'))).to.equal(true)
    expect(files.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))).to.deep.equal(
      [],
    )
    expect(existsSync(join(installed, 'test'))).to.equal(false)
    expect(manifest()).to.not.have.any.keys('devDependencies', 'optionalDependencies', 'scripts')
  })

  it('is a bundle: what is started or read by its path, and chunks, with source maps', () => {
    const files = globSync('{chunks,component,http}/**/*.{js,mjs}', { cwd: installed })
    const modules = files.filter((name) => !name.startsWith('http/console/page/'))
    const own = modules.filter((name) => !name.startsWith('chunks/'))
    expect(own.sort()).to.deep.equal([
      'component/cli/main.js',
      'component/embed.js',
      'component/node-version.mjs',
      'component/short-start.mjs',
      'component/store/sqlite/connection.mjs',
      'component/store/sqlite/write-thread.mjs',
      'component/workers/worker.js',
    ])
    const map = readFileSync(join(installed, 'component/cli/main.js.map'), 'utf8')
    expect(JSON.parse(map).sources.join()).to.include('component/cli/main.ts')
    // an import of node:http loads all of fetch
    const texts = modules
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(installed, name), 'utf8'))
    const imports = texts.flatMap((text) => [
      ...text.matchAll(/\bimport[^;"()]*from"([^."][^"]*)"/g),
    ])
    expect(imports.map(([, name]) => name)).to.deep.equal([])
    // V8 would hold the text of such a module in two bytes a character
    expect(texts.filter((text) => /[^\0-\xff]/.test(text))).to.deep.equal([])
  })

  it('names wrong options as the sources do: its check of the configuration is compiled', async () => {
    const flags = {
      ...{ 'log.level': 'nope', 'gateway.listen': '5x', 'gateway.drain_delay': '-1' },
      ...{
        'wamp.identity': '3',
        'wamp.url': '[ws://a, ws://a]',
        nonsense: '1',
        'log.acces': 'true',
      },
    }
    let expected = ''
    try {
      readConfig(undefined, {}, flags)
    } catch (error) {
      expected = error instanceof ConfigError ? error.message : ''
    }
    const set = Object.entries(flags).flatMap(([key, value]) => ['--set', `${key}=${value}`])
    const { code, stderr } = await command('start', ...set)
    expect(expected.split('\n')).to.have.lengthOf.at.least(6)
    expect([code, stderr]).to.deep.equal([78, `${expected}\n`])
  })

  it('has a console of at most 34 kB as browsers receive it, Preact apart', () => {
    const page = join(installed, 'http/console/page')
    const sizes = globSync('*', { cwd: page }).map(
      (name) => brotliCompressSync(readFileSync(join(page, name))).length,
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.be.within(20_000, 34_000)
  })

  it('has the documentation, with its own commands, whose links lead to files of the package', () => {
    const pages = globSync('{*.md,docs/**/*.md}', { cwd: installed })
    expect(pages).to.include.members(['README.md', 'docs/README.md', 'docs/specification.md'])
    const lost = pages.flatMap((page) =>
      Array.from(
        readFileSync(join(installed, page), 'utf8').matchAll(/\]\((?!\w+:)([^)#]+)[^)]*\)/g),
        ([, target = '']) => join(dirname(page), target),
      ).filter((target) => !existsSync(join(installed, target))),
    )
    expect(lost).to.deep.equal([])
    const readme = readFileSync(join(installed, 'README.md'), 'utf8')
    expect(readme).to.not.match(/npm (?:test|run|ci)|^npm start/m)
    expect(readme).to.include('npx wamp-gateway new my-api')
  })

  it('passes the licenses on of all whose code it has', () => {
    const licenses = readFileSync(join(installed, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
    const titles = licenses.split(/^-{80}\n\n/m).map((text) => text.slice(0, text.indexOf('\n')))
    for (const name of ['koa', 'undici', 'wampy', 'ajv'])
      expect(
        titles.filter((title) => title.startsWith(`${name} `)),
        name,
      ).to.have.length(1)
    expect(licenses).to.include('Permission is hereby granted, free of charge')
  })

  it('leaves the packages of the docs page and of traces to who wants them', () => {
    const { peerDependencies, peerDependenciesMeta } = manifest()
    const exporter = '@opentelemetry/exporter-trace-otlp-proto'
    expect(peerDependenciesMeta).to.deep.equal({
      [exporter]: { optional: true },
      'swagger-ui-dist': { optional: true },
    })
    expect(`${exporter}@${peerDependencies[exporter]}`).to.equal(exporterPackage)
    for (const name of Object.keys(peerDependencies))
      expect(existsSync(join(folder, 'node_modules', name)), name).to.equal(false)
  })

  it('names the package to install where traces are wanted, and exits with 78', async () => {
    const { code, stderr } = await command('start', '--set', 'telemetry.traces=otlp')
    expect([code, stderr]).to.deep.equal([
      78,
      `option "telemetry.traces": the package that sends spans is not installed: npm i ${exporterPackage}\n`,
    ])
  })

  it('runs no install script, and none of its dependencies has one', () => {
    const scripts = globSync('node_modules/**/package.json', { cwd: folder }).filter((name) => {
      const {
        name: own,
        version,
        scripts = {},
      } = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      const isPackage = own !== undefined && version !== undefined
      return isPackage && ['preinstall', 'install', 'postinstall'].some((each) => each in scripts)
    })
    expect(scripts).to.deep.equal([])
    expect(globSync('node_modules/**/binding.gyp', { cwd: folder })).to.deep.equal([])
    expect(installation).to.not.match(/node-gyp|postinstall/)
  })

  /** The files that a page loads, and those that these import, by their paths below it. */
  const filesFrom = async (base: string): Promise<string[]> => {
    const found = new Set([''])
    for (const name of found) {
      const at = new URL(name, base)
      const answer = await fetch(at)
      expect([name, answer.status]).to.deep.equal([name, 200])
      const named = name === '' ? /(?:src|href)="([^"]+)"/g : /from ?["'](\.[^"']+\.js)["']/g
      for (const [, other = ''] of (await answer.text()).matchAll(named))
        found.add(new URL(other, at).href.slice(base.length))
    }
    return [...found]
  }

  /** Opens each screen of the console in a browser. @returns their names, and what the page has complained of */
  const screensIn = async (url: string): Promise<{ screens: string[]; troubles: string[] }> => {
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      const troubles: string[] = []
      page.on('pageerror', ({ message }) => troubles.push(message))
      page.on('console', (said) => said.type() === 'error' && troubles.push(said.text()))
      await page.goto(url)
      const links = page.locator('nav.screens a')
      await links.first().waitFor()
      for (const link of await links.all()) {
        await link.click()
        const name = await link.textContent()
        await page.locator('h1', { hasText: name ?? '' }).waitFor()
      }
      return { screens: await links.allTextContents(), troubles }
    } finally {
      await browser.close()
    }
  }

  it('has the command wamp-gateway', async () => {
    expect(await command('--version')).to.deep.equal({
      ...{ code: 0, stderr: '' },
      stdout: `${manifest().version}\n`,
    })
    const example = join(installed, 'examples/hello/api-spec.json')
    expect((await command('validate', example)).stdout).to.equal(`${example}: ok\n`)
  })

  it('makes a folder of an example: compiled programs without their types', async () => {
    expect((await command('new', 'my-api', '--from', 'oauth2')).code).to.equal(0)
    expect(globSync('*.{js,ts}', { cwd: join(folder, 'my-api') })).to.deep.equal(['backend.js'])
    const document = 'my-api/api-spec.json'
    const { stdout } = await command('validate', document)
    expect(stdout.split('\n')[0]).to.equal(`${document}: ok`)
  })

  it('answers hello by npx wamp-gateway start, serves the console whole, and ends with 0 after SIGTERM', async () => {
    const child = spawn(
      process.execPath,
      [join(folder, 'node_modules/.bin/wamp-gateway'), 'start'],
      { cwd: folder, env: plainEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const ended = once(child, 'exit')
    for await (const line of createInterface(child.stdout))
      if (JSON.parse(line).msg === 'ready') break
    child.stdout.resume()
    const answer = await fetch('http://127.0.0.1:18080/hello/Ada')
    expect([answer.status, await answer.text()]).to.deep.equal([200, '{"greeting":"Hello, Ada!"}'])
    const files = await filesFrom('http://127.0.0.1:18081/console/')
    expect(files).to.include.members(['', 'main.js', 'preact.js', 'theme.css'])
    expect(files).to.not.include('screens/overview.js')
    const { screens, troubles } = await screensIn('http://127.0.0.1:18081/console/')
    expect(troubles).to.deep.equal([])
    expect(screens).to.include.members(['Overview', 'APIs', 'Requests', 'Realms', 'Nodes'])
    child.kill('SIGTERM')
    expect(await ended).to.deep.equal([0, null])
  })

  it('runs two gateways in eleven lines of another program, which then ends by itself', async () => {
    const text = program()
    expect(text.trim().split('\n')).to.have.length(12)
    writeFileSync(join(folder, 'two.js'), text)
    const { code, stdout, stderr } = await run(process.execPath, ['two.js'], folder)
    expect([code, stderr]).to.deep.equal([0, ''])
    expect(stdout).to.equal('1 "hello"\n2 "hello"\n')
  })

  it('gives types to who imports it', async () => {
    writeFileSync(
      join(folder, 'types.ts'),
      `import { type Options, WampGateway } from 'wamp-gateway'
const options: Options = { gateway: { listen: '127.0.0.1:0' } }
const gateway = new WampGateway(options)
gateway.on('load', ({ id, ts }) => console.log(id.length, ts.toFixed()))
// @ts-expect-error: there is no such option
new WampGateway({ gatway: {} })
// @ts-expect-error: an event has no such member
gateway.on('load', ({ nonsense }) => nonsense)
`,
    )
    const flags = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2024',
    ]
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const done = await run(process.execPath, [tsc, ...flags, ...types, 'types.ts'], folder)
    expect(done).to.deep.equal({ code: 0, stdout: '', stderr: '' })
  })

  it('has its JSON Schemas among its exports', async () => {
    for (const kind of ['api-spec', 'realm', 'config']) {
      const script = `const schema = (await import('wamp-gateway/${kind}.schema.json', {with: {type: 'json'}})).default; console.log(schema.title)`
      const done = await run(process.execPath, ['--input-type=module', '-e', script], folder)
      expect(done.stdout, done.stderr).to.match(/ of wamp-gateway\n$/)
    }
  })

  it('refuses an old Node in plain words', async () => {
    const old = process.env.PATH?.split(delimiter)
      .map((path) => join(path, 'node'))
      .find((path) => existsSync(path) && dirname(path) !== dirname(process.execPath))
    const version = old && execFileSync(old, ['--version'], { encoding: 'utf8' })
    expect(version, 'another Node in the PATH, as npm has one').to.match(/^v/)
    if (!version || Number(version.slice(1, 3)) >= 24) return
    const done = await run(
      old,
      [join(folder, 'node_modules/.bin/wamp-gateway'), '--version'],
      folder,
    )
    const [found, way] = done.stderr.split('\n')
    expect([done.code, found]).to.deep.equal([
      78,
      `wamp-gateway requires Node 24.15 or later; this is Node ${version.trim().slice(1)} (${realpathSync(old)}).`,
    ])
    // not what a clone has
    expect(way).to.match(/^"npm install node-linux-\w+@26"/)
  })
})
