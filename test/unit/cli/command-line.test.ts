/** The command line: which command runs, what its help says, and how a mistake ends. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import { commands, globalOptions, remoteOptions } from '#component/cli/commands.ts'
import { commandsPage } from '#component/cli/help.ts'
import { version } from '#component/version.ts'
import { runCli } from './terminal.ts'

describe('wamp-gateway', () => {
  it('prints the help text, which names every command, with its exit code 0', async () => {
    for (const word of ['--help', 'help']) {
      const { code, out, err } = await runCli([word])
      expect([code, err]).to.deep.equal([0, ''])
      for (const [name, { summary }] of Object.entries(commands))
        expect(out)
          .to.match(new RegExp(`^ {2}${name} +`, 'm'))
          .and.include(summary)
    }
  })

  it('without a command prints the help text and ends with 64', async () => {
    const { code, out } = await runCli([])
    expect(code).to.equal(64)
    expect(out).to.include('Usage: wamp-gateway COMMAND')
  })

  it('--version prints the version', async () => {
    expect(await runCli(['--version'])).to.deep.equal({ code: 0, out: `${version()}\n`, err: '' })
  })

  for (const [name, command] of Object.entries(commands)) {
    it(`${name} --help prints its summary, its example and all of its options`, async () => {
      const { code, out, err } = await runCli([name, '--help'])
      expect([code, err]).to.deep.equal([0, ''])
      expect(out).to.include(command.summary).and.include(`Example: ${command.example}\n`)
      const own = [command.options, globalOptions, ...(command.isRemote ? [remoteOptions] : [])]
      for (const option of own.flatMap(Object.keys)) expect(out).to.include(`  --${option}`)
    })

    it(`${name} has an example that its own reader takes`, async () => {
      const words = command.example.split(' > ')[0]?.split(' ').slice(1) ?? []
      const { code, err } = await runCli([...words, '--help'])
      expect([code, err]).to.deep.equal([0, ''])
    })

    it(`${name} refuses an option that it does not have, with 64`, async () => {
      const { code, err } = await runCli([name, '--nonsense'])
      expect(code).to.equal(64)
      expect(err).to.include('--nonsense').and.include(`wamp-gateway ${name} --help`)
    })
  }

  for (const [args, message] of [
    [['lod'], 'there is no command "lod"; did you mean "load"?\n'],
    [['nonsense'], 'there is no command "nonsense"; see "wamp-gateway --help"\n'],
    [['constructor'], 'there is no command "constructor"; see "wamp-gateway --help"\n'],
    [['get'], 'expected ID; see "wamp-gateway get --help"\n'],
    [['get', 'a', 'b'], 'unexpected argument "b"; see "wamp-gateway get --help"\n'],
    [
      ['list', '--format', 'sarif'],
      '--format must be one of human, json; found "sarif"; see "wamp-gateway list --help"\n',
    ],
    [['sync', '.', '--owner', ''], '--owner: expected a name\n'],
    [
      ['load', 'a.json', '--examples', 'on'],
      '--examples: expected one of off, warn, refuse; found "on"\n',
    ],
    [['diff', '.', '--owner='], '--owner: expected a name\n'],
    [['list', '--admin', 'nowhere'], '--admin: expected an http or https URL\n'],
  ] as const) {
    it(`"${args.join(' ')}" ends with 64 and one line`, async () => {
      expect(await runCli(args)).to.deep.equal({ code: 64, out: '', err: message })
    })
  }

  it('ends with 69 when the gateway is not reached, and names its address', async () => {
    const { code, out, err } = await runCli(['list', '--admin', 'http://127.0.0.1:1'])
    expect([code, out]).to.deep.equal([69, ''])
    expect(err).to.match(/^the gateway is not reached at http:\/\/127\.0\.0\.1:1: .+\n$/)
  })

  it('ends with 78 when the environment is one that no gateway would start with', async () => {
    const file = join(import.meta.dirname, '../../../examples/hello/api-spec.json')
    for (const command of ['validate', 'routes']) {
      const { code, err } = await runCli([command, file], { GATEWAY_NONSENSE__X: '1' })
      expect([code, err]).to.deep.equal([78, 'the environment: unknown option "nonsense"\n'])
    }
  })

  it('ends with 66 when the file of the token cannot be read', async () => {
    const { code, err } = await runCli(['list', '--token-file', '/nowhere/token'])
    expect([code, err]).to.deep.equal([66, '--token-file: /nowhere/token cannot be read\n'])
  })
})

describe('docs/cli.md', () => {
  it('is what the table of commands prints', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/cli.md'), 'utf8')
    expect(page).to.equal(commandsPage())
  })
})

for (const name of ['gitops', 'editors']) {
  describe(`docs/${name}.md`, () => {
    const page = readFileSync(join(import.meta.dirname, `../../../docs/${name}.md`), 'utf8')
    const lines = page.matchAll(/^(?:.*run: npx )?wamp-gateway (.*)$/gm)

    it('shows command lines that are read', async () => {
      const shown = Array.from(
        lines,
        ([, line = '']) => line.split(/ +[>#|]/)[0]?.split(/ +/) ?? [],
      )
      expect(shown).to.have.length.of.at.least(3)
      for (const words of shown) expect((await runCli([...words, '--help'])).err).to.equal('')
    })

    it('shows JSON and YAML that are read', () => {
      const blocks = [...page.matchAll(/^```(json|yaml)\n(.*?)^```$/gms)]
      expect(blocks).to.have.length.of.at.least(1)
      for (const [, kind, text = ''] of blocks)
        expect(kind === 'json' ? JSON.parse(text) : parse(text)).to.be.an('object')
    })
  })
}
