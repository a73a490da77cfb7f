/** `routes` of files: the table in the order of matching. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { runCli } from './terminal.ts'

const operation = { action: { type: 'static' }, response: { on_result: {}, on_error: {} } }

describe('wamp-gateway routes', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-routes-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  /** Writes a document; the name of its file. */
  function write(id: string, host: string, patterns: readonly string[], more: object = {}): string {
    const file = join(folder, `${id}.json`)
    const paths = Object.fromEntries(patterns.map((pattern) => [pattern, { get: operation }]))
    const versions = { '1.0': { base_path: '/', paths, ...more } }
    writeFileSync(file, JSON.stringify({ id, host, realm_uri: 'com.example', versions }))
    return file
  }
  const ask = async (...files: readonly string[]) => {
    const { code, out } = await runCli(['routes', '--format', 'json', ...files])
    return { code, rows: JSON.parse(out) as Record<string, unknown>[] }
  }

  it('are in the order of matching: literals before bindings before the rest, exact hosts first', async () => {
    const paths = ['/[...]', '/a/:x', '/:x/b', '/a/b', '/a', '/b/[...]']
    const { code, rows } = await ask(
      write('any', '_', paths),
      write('label', ':name.example.com', ['/z']),
      write('exact', 'api.example.com', ['/z']),
    )
    expect(code).to.equal(0)
    expect(rows.map(({ host, pattern }) => `${host} ${pattern}`)).to.deep.equal([
      'api.example.com /z',
      ':name.example.com /z',
      ...['/a', '/a/b', '/a/:x', '/b/[...]', '/:x/b', '/[...]'].map((pattern) => `_ ${pattern}`),
    ])
  })

  it('have method, action, security, document and version, generated endpoints, too', async () => {
    const flow = 'resource_owner_password_credentials'
    const security = { type: 'oauth2', flow, token_path: '/oauth/token' }
    const { rows } = await ask(write('safe', '_', ['/x'], { defaults: { security } }))
    const row = (pattern: unknown) => rows.find((each) => each.pattern === pattern)
    expect(row('/x')).to.deep.equal({
      ...{ host: '_', pattern: '/x', method: 'GET', action: 'static', security: 'oauth2' },
      ...{ id: 'safe', version: '1.0' },
    })
    expect(row('/oauth/token')).to.deep.equal({
      ...{ host: '_', pattern: '/oauth/token', method: 'POST', action: 'oauth.token' },
      ...{ security: null, id: 'safe', version: '1.0' },
    })
  })

  it('have the types of a list of actions in order', async () => {
    const call = { type: 'wamp_call', procedure: 'a.b' }
    const list = { get: { ...operation, action: [call, { type: 'static' }] } }
    const { rows } = await ask(write('listed', '_', [], { paths: { '/x': list } }))
    expect(rows[0]).to.include({ action: 'wamp_call, static' })
  })

  it('leave out a document with mistakes, which are findings, and end with 1', async () => {
    const good = write('good', '_', ['/good'])
    const bad = write('bad', 'not a host', ['/bad'])
    const { code, out } = await runCli(['routes', good, bad])
    expect(code).to.equal(1)
    expect(out).to.include(`${bad}:1:`).and.include('/good').and.not.include('/bad ')
  })

  it('tell of routes that two documents have', async () => {
    const { code, out } = await runCli([
      ...['routes', write('one', '_', ['/same/:a']), write('two', '_', ['/same/:b'])],
    ])
    expect(code).to.equal(1)
    expect(out).to.include('two: error: /versions/1.0/paths/~1same~1:b: the route /same/:b')
  })
})
