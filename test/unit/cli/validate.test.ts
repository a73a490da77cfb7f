/** `validate`: its findings in every format, as files of test/cases/cli hold them. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from './terminal.ts'

const golden = join(import.meta.dirname, '../../cases/cli')

describe('wamp-gateway validate', () => {
  let folder: string

  const files = {
    'good.yaml': `id: com.example.good
host: _
realm_uri: com.example
versions:
  1.0:
    base_path: /v1
    paths:
      /hello:
        get:
          action: { type: static, body: hello }
          response: { on_result: { body: '{{action.result.body}}' }, on_error: {} }
`,
    'bad.json': `{
  "id": "com.example.bad",
  "host": "not a host",
  "realm_uri": "com.example",
  "versions": {
    "1.0": {
      "base_path": "/v1",
      "paths": {
        "/a": {
          "get": {
            "actoin": {},
            "action": { "type": "static", "body": "{{ request.bdy }}" },
            "response": {}
          }
        }
      }
    }
  }
}
`,
    'realm.yaml': 'uri: com.example\nusers:\n  - username: ada\n    pasword: x\n',
    'gateway.yaml': 'workers: 0\ngateway:\n  lisen: 127.0.0.1:1\n',
    'broken.yaml': 'id: [1, 2\n',
    'broken.json': '{"id": ',
  }

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-cli-'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  })

  after(() => rmSync(folder, { recursive: true, force: true }))

  const validate = async (...args: readonly string[]) => {
    const words = args.map((word) => (word in files ? join(folder, word) : word))
    const ran = await runCli(['validate', ...words])
    return { ...ran, out: ran.out.replaceAll(folder, 'specs') }
  }

  const all = ['good.yaml', 'bad.json', 'realm.yaml', 'gateway.yaml']

  for (const format of ['human', 'json', 'github', 'sarif']) {
    it(`prints ${format} as test/cases/cli/validate.${format} has it`, async () => {
      const { code, out, err } = await validate('--format', format, ...all)
      expect([code, err]).to.deep.equal([1, ''])
      expect(out).to.equal(readFileSync(join(golden, `validate.${format}`), 'utf8'))
    })
  }

  it('says ok of good files, and ends with 0', async () => {
    const { code, out, err } = await validate('good.yaml', 'good.yaml')
    expect([code, out, err]).to.deep.equal([0, 'specs/good.yaml: ok\nspecs/good.yaml: ok\n', ''])
  })

  for (const [name, place] of [
    ['broken.json', '1:8'],
    ['broken.yaml', '2:1'],
  ] as const) {
    it(`ends with 65 for ${name}, which has a finding at ${place}`, async () => {
      const { code, out } = await validate(name)
      expect(code).to.equal(65)
      expect(out).to.include(`specs/${name}:${place}: error: `)
    })
  }

  it('--strict makes a warning a reason to end with 1', async () => {
    writeFileSync(join(folder, 'good.yaml'), `${files['good.yaml']}nonsense: 1\n`)
    const calm = await validate('good.yaml')
    const strict = await validate('--strict', 'good.yaml')
    writeFileSync(join(folder, 'good.yaml'), files['good.yaml'])
    expect([calm.code, strict.code]).to.deep.equal([0, 1])
    expect(strict.out).to.equal(calm.out).and.include('good.yaml:12:1: warning: /nonsense: ')
  })

  it('--quiet prints the findings only', async () => {
    const { out } = await validate('--quiet', 'good.yaml')
    expect(out).to.equal('')
  })

  it('is colored on a terminal only, and not when NO_COLOR is set or --no-color is given', async () => {
    const file = join(folder, 'bad.json')
    const color = '\u001B['
    const outputs = await Promise.all([
      runCli(['validate', file], {}, true),
      runCli(['validate', file], { NO_COLOR: '1' }, true),
      runCli(['validate', '--no-color', file], {}, true),
      runCli(['validate', file], {}, false),
    ])
    expect(outputs.map(({ out }) => out.includes(color))).to.deep.equal([true, false, false, false])
  })

  it('prints annotations where GitHub runs it, unless another format is asked for', async () => {
    const file = join(folder, 'bad.json')
    const found = await runCli(['validate', file], { GITHUB_ACTIONS: 'true' })
    const asked = await runCli(['validate', '--format', 'human', file], { GITHUB_ACTIONS: 'true' })
    expect([found.out.startsWith('::error file='), asked.out.includes('::')]).to.deep.equal([
      true,
      false,
    ])
  })

  it('tells how many files it has checked', async () => {
    const told: string[] = []
    const progress = {
      show: (...words: readonly unknown[]) => void told.push(words.join(' ')),
      clear: () => void told.push('cleared'),
    }
    await runCli(
      ['validate', join(folder, 'good.yaml'), join(folder, 'bad.json')],
      {},
      false,
      progress,
    )
    expect(told).to.deep.equal(['validating files: 0 2', 'validating files: 1 2', 'cleared'])
  })

  const most = 4 * 1024 * 1024
  const large = (bytes: number, more: object) => {
    const document = { ...more, description: '' }
    return { ...document, description: 'x'.repeat(bytes - JSON.stringify(document).length) }
  }
  const spec = {
    ...{ id: 'com.example.large', host: '_', realm_uri: 'com.example' },
    versions: { '1.0': { base_path: '/v1', paths: {} } },
  }

  for (const [it_, bytes, more, indent, isTooLarge] of [
    ['takes an API Specification of 4 MiB', most, spec, 0, false],
    ['refuses an API Specification of 4 MiB and a byte', most + 1, spec, 0, true],
    ['counts no blanks between values', most, spec, 8, false],
    ['refuses a realm document of 4 MiB and a byte', most + 1, { uri: 'com.example' }, 0, true],
    ['takes a realm document of 4 MiB', most, { uri: 'com.example' }, 0, false],
  ] as const) {
    it(it_, async () => {
      const file = join(folder, 'large.json')
      writeFileSync(file, JSON.stringify(large(bytes, more), undefined, indent))
      const { code, out } = await runCli(['validate', file])
      const sentence = `the document has ${bytes} bytes as JSON without blanks, and a gateway takes at most ${most}`
      expect(out.includes(sentence)).to.equal(isTooLarge)
      if (isTooLarge) expect(code).to.equal(1)
    })
  }

  it('counts bytes, not characters', async () => {
    const file = join(folder, 'large.json')
    writeFileSync(file, JSON.stringify({ ...spec, description: 'ä'.repeat(most / 2) }))
    expect((await runCli(['validate', file])).code).to.equal(1)
  })
})
