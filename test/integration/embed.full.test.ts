/** Programs with a gateway that fails to start: nothing stays open in them, so they end by themselves. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Options } from '#component/embed.ts'
import { run } from '#test/support/command.ts'

const project = join(import.meta.dirname, '../..')

/** A program with a gateway that fails to start: it says why, and ends as soon as nothing is open in it. */
const failingProgram = `
  const { WampGateway } = await import('#component/embed.ts')
  const gateway = new WampGateway(JSON.parse(process.argv[1]))
  const starting = gateway.start().catch((cause) => console.log(String(cause)))
  if (process.argv[2]) await gateway.stop()
  await starting
`

describe('an embedded gateway that does not start', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-embedded-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const runProgram = (options: Options, ...more: readonly string[]) => {
    const all = {
      gateway: { listen: '127.0.0.1:0' },
      admin: { listen: '127.0.0.1:0' },
      log: { level: 'silent' },
      data_dir: join(folder, 'data'),
      ...options,
    }
    const text = JSON.stringify(all).replaceAll('FOLDER', folder)
    const program = ['--input-type=module', '--eval', failingProgram, text, ...more]
    return run(process.execPath, program, project)
  }

  const failedStarts: readonly (readonly [string, Options, string])[] = [
    [
      'credentials of the gateway that are incomplete',
      { wamp: { auth: { authmethod: 'ticket', authid: 'gateway' } } },
      'wamp.auth',
    ],
    [
      'incomplete credentials for a realm',
      { wamp: { realms: { 'com.example': { authmethod: 'wampcra' } } } },
      'wamp.realms.com.example',
    ],
    [
      'a certificate that cannot be read',
      { gateway: { listen: '127.0.0.1:0', tls: { cert: '/nowhere.pem', key: '/nowhere.pem' } } },
      '/nowhere.pem',
    ],
    ['an address of no interface', { gateway: { listen: '192.0.2.1:1' } }, '192.0.2.1'],
    ['a health listener without an address', { health: { listen: '192.0.2.1:1' } }, '192.0.2.1'],
    [
      'a file that is refused',
      { specs: ['FOLDER/refused.json'], fail_on_refused_files: true },
      'realm_uri is missing',
    ],
  ]
  for (const [what, options, word] of failedStarts) {
    it(`keeps nothing open because of ${what}`, async () => {
      writeFileSync(join(folder, 'refused.json'), '{"id": "com.example.refused", "host": "_"}')
      const { code, stdout } = await runProgram(options)
      expect(stdout).to.include(word)
      expect(code).to.equal(0)
    })
  }

  it('keeps nothing open because it is stopped meanwhile, and says so', async () => {
    const { code, stdout } = await runProgram({}, 'stop')
    expect(stdout).to.equal('Error: the gateway was stopped while it started\n')
    expect(code).to.equal(0)
  })
})
