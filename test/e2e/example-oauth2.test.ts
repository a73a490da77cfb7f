/** The example with OAuth2: the lines of its page are run as they stand there, and come to what the page says. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '#test/support/command.ts'
import { end, lineOf, shellLinesOf, type Typed, type } from '#test/support/typed.ts'

const root = join(import.meta.dirname, '../..')

/** What the page says to type: for the gateway, for the backend, for the client. */
const [startGateway = '', startBackend = '', client = ''] = shellLinesOf(
  'examples/oauth2/README.md',
)

/** The statuses and JSON bodies that curl has printed, one after another. */
function answersIn(output: string): { readonly statuses: number[]; readonly bodies: Json[] } {
  const statuses = [...output.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status))
  const bodies = [...output.matchAll(/^\{.*\}$/gm)].flatMap(([line]) =>
    line.split(/(?<=\})(?=\{)/).map((text) => JSON.parse(text) as Json),
  )
  return { statuses, bodies }
}

type Json = Readonly<Record<string, unknown>>

/** The comment above some lines, or a part of it; the statuses, and members of the first bodies, that they print. */
const steps: readonly (readonly [string, readonly number[], readonly Json[]])[] = [
  ['without a token: 401', [401], [{ code: 'service.error.unauthorized' }]],
  ['asks for a token', [], [{ token_type: 'bearer', scope: 'resource_owners customers' }]],
  ['with it: 200', [200], [{ id: '7', asked_by: 'alice', role: 'resource_owners' }]],
  ['the next token', [], [{ token_type: 'bearer', scope: 'resource_owners customers' }]],
  ['403, said by the router', [403], [{ code: 'wamp.error.not_authorized' }]],
  ['log out', [200, 401], [{ code: 'service.error.unauthorized' }]],
  ['can find out', [], [{ grant_types_supported: ['password', 'refresh_token'] }]],
]

describe('the example with OAuth2', () => {
  let gateway: Typed | undefined
  let backend: Typed | undefined
  let folder: string
  /** What the lines under each comment have printed. */
  let printed: string[]

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-example-'))
    const flags = ['gateway.listen=127.0.0.1:0', 'admin.listen=127.0.0.1:0', 'log.level=warn']
    const settings = [...flags, `data_dir=${folder}/data`].map((flag) => `--set ${flag}`).join(' ')
    gateway = type(startGateway.trimEnd().concat(` ${settings}\n`))
    const [, url = ''] = await lineOf(gateway, /^gateway +(http:\S+)$/)
    const router = `${url.replace('http', 'ws')}/ws`
    backend = type(startBackend.trimEnd().concat(` -- ${router}\n`))
    await lineOf(backend, /^orders are served$/)
    const marked = client.replace(/^# /gm, 'echo; echo "#####"\n# ')
    const text = marked.replace('http://127.0.0.1:18080', url)
    const empty = mkdtempSync(join(folder, 'empty-'))
    const { stdout, code, stderr } = await run('sh', ['-e', '-c', text], empty)
    expect(code, stderr).to.equal(0)
    printed = stdout.split('#####').slice(1)
  })

  after(async () => {
    await end(backend)
    await end(gateway)
    rmSync(folder, { recursive: true, force: true })
  })

  it('has as many steps as are judged here', () => {
    const comments = [...client.matchAll(/^# (.*)$/gm)].map(([, text = '']) => text)
    expect(comments).to.have.length(steps.length)
    for (const [index, [text]] of steps.entries()) expect(comments[index]).to.include(text)
  })

  for (const [index, [title, statuses, bodies]] of steps.entries()) {
    it(`does what the page says: ${title}`, () => {
      const found = answersIn(printed[index] ?? '')
      expect(found.statuses, printed[index]).to.deep.equal(statuses)
      for (const [at, body] of bodies.entries()) {
        expect(found.bodies[at], printed[index]).to.deep.include(body)
      }
    })
  }

  it('refreshes to another token, and publishes the key of the realm', () => {
    const [first, next, keys] = [1, 3, 6].map((index) => answersIn(printed[index] ?? '').bodies)
    for (const name of ['access_token', 'refresh_token']) {
      expect(next?.[0]?.[name]).to.be.a('string').and.not.equal(first?.[0]?.[name])
    }
    expect(keys?.[1]?.keys).to.have.length(1)
  })

  it('serves a real document of this family of gateways, to which only examples were added', () => {
    const read = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
    const example = read('examples/oauth2/api-spec.json')
    delete example.versions['1.0.0'].paths['/orders/:id'].get.examples
    expect(example).to.deep.equal(read('test/cases/specs/orders_oauth2.json'))
  })
})
