/** `test`: what it prints in every format, as files of test/cases/cli hold it (`UPDATE=1` writes them anew), and its exit codes. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { runCli } from '#test/unit/cli/terminal.ts'

const cases = join(import.meta.dirname, '../../../cases')
const good = readFileSync(join(cases, 'examples/orders.json'), 'utf8')

const run = promisify(execFile)

/** A module that writes the URL of each module that is imported. */
const tellsImports = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      process.stderr.write(url + '\\n')
      return next(url, context)
    },
  })`

/** Examples that fail, each for another reason. */
const bad = `id: com.example.shop
host: _
realm_uri: com.example
versions:
  1.0:
    base_path: /shop
    paths:
      /items/new:
        get:
          action: { type: static, body: <new> }
          response: { on_result: {}, on_error: {} }
      /items/:id:
        get:
          action: { type: wamp_call, procedure: com.example.item, args: ['{{request.bindings.id |> upper}}'], kwargs: { n: '{{request.query_params |> get(n, 1) |> integer}}' } }
          response:
            on_result: { body: { item: '{{action.result.args |> head}}' } }
            on_error: {}
          examples:
            holds: { request: { bindings: { id: a } }, expect: { action: { args: [A] } } }
            another body:
              request: { bindings: { id: a } }
              outcome: { result: { args: [1] } }
              expect:
                body: { item: 2, name: x }
            fails: { request: { bindings: { id: a }, query_params: { n: x } }, expect: { status: 200 } }
            another operation: { request: { bindings: { id: new } }, expect: { status: 200 } }
            another binding: { request: { bindings: { name: a } }, expect: { status: 200 } }
            another action: { request: { bindings: { id: a } }, outcome: { result: { args: [1] } }, expect: { action: { args: [a] } } }
`

describe('wamp-gateway test', () => {
  let folder: string
  const files = {
    'good.json': good,
    'bad.yaml': bad,
    'refused.json': good.replace('|> head', '|> haed'),
    'broken.json': '{"id": ',
    'realm.json': '{"uri": "com.example", "users": []}',
  }

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-test-'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  const test = async (...args: readonly string[]) => {
    const words = args.map((word) => (word in files ? join(folder, word) : word))
    const ran = await runCli(['test', ...words])
    return { ...ran, out: ran.out.replaceAll(folder, 'specs') }
  }

  for (const format of ['human', 'json', 'github', 'sarif', 'junit']) {
    it(`prints ${format} as test/cases/cli/test.${format} has it`, async () => {
      const { code, out, err } = await test(
        '--format',
        format,
        'good.json',
        'bad.yaml',
        'refused.json',
      )
      expect([code, err]).to.deep.equal([1, ''])
      const golden = join(cases, 'cli', `test.${format}`)
      if (process.env.UPDATE === '1') writeFileSync(golden, out)
      expect(out).to.equal(readFileSync(golden, 'utf8'))
    })
  }

  it('ends with 0 when every example holds', async () => {
    expect(await test('good.json')).to.deep.equal({
      code: 0,
      out: 'specs/good.json: 3 passed; 1 of 1 operation with examples\n',
      err: '',
    })
  })

  it('--only runs the examples of one name', async () => {
    const { code, out } = await test('good.json', 'bad.yaml', '--only', 'holds')
    expect([code, out]).to.deep.equal([
      0,
      'specs/good.json: 0 passed; 1 of 1 operation with examples\nspecs/bad.yaml: 1 passed; 1 of 2 operations with examples\n',
    ])
  })

  it('--only refuses a name that no example has', async () => {
    expect(await test('good.json', '--only', 'nonsense')).to.deep.equal({
      code: 64,
      out: '',
      err: '--only: no example is called "nonsense"\n',
    })
  })

  it('--fail-under ends with 1 below the percentage, and names what has no example', async () => {
    const low = await test('bad.yaml', '--only', 'holds', '--fail-under', '50.1')
    expect(low.code).to.equal(1)
    expect(low.out).to.include('50 % of the operations have examples, expected 50.1 %')
    expect(low.out).to.include('  specs/bad.yaml: GET /items/new\n')
    expect((await test('bad.yaml', '--only', 'holds', '--fail-under', '50')).code).to.equal(0)
  })

  for (const percent of ['x', '-1', '101', '']) {
    it(`--fail-under refuses "${percent}"`, async () => {
      const { code, err } = await test('good.json', `--fail-under=${percent}`)
      expect([code, err]).to.deep.equal([
        64,
        `--fail-under: expected a number from 0 to 100; found "${percent}"\n`,
      ])
    })
  }

  it('ends with 65 for a text that is neither JSON nor YAML, and tests the other files', async () => {
    const { code, out } = await test('broken.json', 'good.json')
    expect(code).to.equal(65)
    expect(out).to.include('specs/broken.json: not tested').and.include('specs/good.json: 3 passed')
  })

  it('refuses a file that is no API Specification', async () => {
    const { code, out } = await test('realm.json')
    expect(code).to.equal(1)
    expect(out).to.include('expected an API Specification, found a realm document')
  })

  it('imports no WAMP client, HTTP server or database', async () => {
    const { stdout, stderr } = await run(process.execPath, [
      ...['--import', `data:text/javascript,${encodeURIComponent(tellsImports)}`],
      ...[join(import.meta.dirname, '../../../../component/cli/main.ts'), 'test'],
      join(folder, 'good.json'),
    ])
    expect(stdout).to.include('3 passed')
    expect(stderr).to.include('/component/examples/run.ts')
    expect(stderr).to.not.match(/node_modules\/(koa|@koa|autobahn|wampy|pg|kysely|ws)\//)
  })
})
