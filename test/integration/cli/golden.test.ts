/** The output of every command that asks a gateway, in each of its formats, as files of test/cases/cli/remote hold it; `UPDATE=1` writes them anew. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { formatsOf } from '#component/cli/command.ts'
import { commands } from '#component/cli/commands.ts'
import { startGateway } from '#test/support/gateway.ts'
import { runCli } from '#test/unit/cli/terminal.ts'
import { documentOf } from './folder-fixture.ts'

const golden = join(import.meta.dirname, '../../cases/cli/remote')

type Files = Readonly<Record<string, string>>
type Step = readonly [name: string, code: number, args: readonly string[], files?: Files]

const text = (id: string, paths: Readonly<Record<string, unknown>>, more = {}) =>
  `${JSON.stringify(documentOf(id, paths, more), undefined, 2)}\n`

const a = 'com.example.a'
const warned = `id: com.example.b
host: api.example.com
realm_uri: com.example.test
nonsense: true
versions:
  1.0:
    base_path: /b
    paths:
      /:x:
        get:
          action: { type: static, body: 1 }
          response: { on_result: {}, on_error: {} }
`

/** In this order, one after the other; a document of the folder `specs` is written before the step that needs it. */
const steps: readonly Step[] = [
  [
    'sync',
    0,
    ['sync', 'specs'],
    { 'specs/a.json': text(a, { '/a': 1, '/n': [1, 2] }), 'specs/b.yaml': warned },
  ],
  [
    ...(['load', 1, ['load', 'other.json', 'bad.json']] as const),
    {
      'other.json': text('com.example.other', { '/o': 1 }),
      'bad.json': text('com.example.bad', { '/x': '{{nonsense}}' }),
    },
  ],
  [
    ...(['diff', 1, ['diff', 'specs']] as const),
    {
      'specs/a.json': text(a, { '/a': 2, '/n': [1, 3, 2] }, { name: 'A' }),
      'specs/c.json': text('com.example.c', { '/c': 1 }),
    },
  ],
  ['diff-patch', 1, ['diff', '--patch', 'specs']],
  ['sync-dry-run', 0, ['sync', '--dry-run', 'specs']],
  [
    'sync-refused',
    1,
    ['sync', 'specs'],
    { 'specs/d.json': text('com.example.d', { '/o': 1, '/d': '{{' }) },
  ],
  ['routes', 0, ['routes']],
  ['explain', 0, ['explain', 'GET /a?x=1', '--as', 'ada']],
  ['load-conflict', 1, ['load', '--if-match', '0'.repeat(64), 'specs/a.json']],
  ['load-again', 0, ['load', 'specs/a.json']],
  ['load-realm', 1, ['load', 'realm.json'], { 'realm.json': '{"uri": "com.example.realm"}' }],
  ['list', 0, ['list']],
  ['get', 0, ['get', a]],
  ['openapi', 0, ['openapi', a]],
  ['info', 0, ['info', a]],
  ['versions', 0, ['versions', a]],
  ['export', 0, ['export', 'exported']],
  ['rollback', 0, ['rollback', a, 'FIRST']],
  ['delete', 0, ['delete', a]],
  ['realm-load', 0, ['realm', 'load', 'realm.json']],
  ['user-list', 0, ['user', 'list', 'com.example.realm']],
  ['key-list', 0, ['key', 'list', 'com.example.realm']],
  ['deliveries', 0, ['deliveries']],
  ['status', 0, ['status']],
]

/** What differs from run to run. */
const variable: readonly (readonly [RegExp, string])[] = [
  [/\b1\d{12}\b/g, '1700000000000'],
  [/\b20\d\d-[\d-]+T[\d:.]+Z/g, '2023-11-14T22:13:20.000Z'],
  [/"digest": "[0-9a-f]{64}"/g, '"digest": "…"'],
  [/digest [0-9a-f]{8}\b/g, 'digest …'],
  [/local 127\.0\.0\.1:\d+/g, 'local 127.0.0.1:50000'],
  [/"url": "http:\/\/127\.0\.0\.1:\d+/g, '"url": "http://127.0.0.1:18080'],
]

const formatsOfCommand = (name: string) => {
  const command = commands[name]
  return command ? formatsOf(command) : []
}

describe('the output of commands that ask a gateway', () => {
  it('is held for every such command', () => {
    const remote = Object.keys(commands).filter((name) => commands[name]?.isRemote)
    expect(new Set(steps.map(([, , [name = '']]) => name))).to.deep.equal(new Set(remote))
  })

  it('is held in files that a step makes', () => {
    const names = steps.flatMap(([name, , [command = '']]) =>
      formatsOfCommand(command).map((format) => `${name}.${format}`),
    )
    expect(readdirSync(golden).sort()).to.deep.equal(names.sort())
  })

  for (const format of ['human', 'json', 'github', 'sarif'] as const) {
    describe(`as ${format}`, () => {
      const found = new Map<string, { readonly code: number | undefined; readonly text: string }>()
      const own = steps.filter(([, , [command = '']]) => formatsOfCommand(command).includes(format))

      before(async () => {
        const folder = mkdtempSync(join(tmpdir(), 'gateway-golden-'))
        const gateway = await startGateway({ node: 'golden' }, { isEmbedded: true })
        mkdirSync(join(folder, 'specs'))
        const isName = (word: string) => /^(specs|exported|[a-z]+\.json|specs\/.*)$/.test(word)
        let first = ''
        for (const [name, , [command = '', ...words], files = {}] of steps) {
          for (const [file, content] of Object.entries(files))
            writeFileSync(join(folder, file), content)
          const args = words.map((word) =>
            word === 'FIRST' ? first : isName(word) ? join(folder, word) : word,
          )
          const wanted = own.some(([each]) => each === name) ? format : 'json'
          const { code, out, err } = await runCli([
            ...[command, '--format', wanted, '--admin', gateway.adminUrl, ...args],
          ])
          if (name === 'versions') {
            const { out: rows } = await runCli([
              'versions',
              '--format',
              'json',
              '--admin',
              gateway.adminUrl,
              a,
            ])
            first = JSON.parse(rows).at(-1).hash
          }
          found.set(name, { code, text: (out + err).replaceAll(`${folder}/`, '') })
        }
        await gateway.stop()
        rmSync(folder, { recursive: true, force: true })
      })

      for (const [name, code] of own) {
        it(`of ${name} is that of ${name}.${format}, with the exit code ${code}`, () => {
          const result = found.get(name)
          expect(result?.code).to.equal(code)
          let printed = result?.text ?? ''
          for (const [pattern, replacement] of variable)
            printed = printed.replaceAll(pattern, replacement)
          if (process.env.UPDATE) writeFileSync(join(golden, `${name}.${format}`), printed)
          expect(printed).to.equal(readFileSync(join(golden, `${name}.${format}`), 'utf8'))
        })
      }
    })
  }
})
