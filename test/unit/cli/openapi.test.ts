/** `openapi`: the description of a file or of a running gateway, on standard output. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { documentRules } from '#component/codec/limits.ts'
import { parseYaml } from '#component/codec/yaml.ts'
import { runCli } from './terminal.ts'

const operation = (body: string, more: object = {}) => ({
  get: { action: { type: 'static', body }, response: {}, ...more },
})

const version = (base_path: string) => ({
  base_path,
  paths: {
    '/open': operation('open'),
    '/secret': operation('secret', { hidden: true, security: { type: 'basic' } }),
  },
})

const one = {
  ...{ id: 'one', host: '_', realm_uri: 'com.example', name: 'One' },
  schemas: { Kept: { type: 'string' } },
  versions: { '1.0': version('/v1') },
}
const two = { ...one, id: 'two', versions: { a: version('/a'), b: version('/b') } }

describe('wamp-gateway openapi', () => {
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'openapi-'))
    for (const document of [one, two])
      writeFileSync(join(folder, `${document.id}.json`), JSON.stringify(document))
    writeFileSync(join(folder, 'wrong.json'), '{"id": "wrong"}')
  })
  after(() => rmSync(folder, { recursive: true }))

  const run = (name: string, ...options: readonly string[]) =>
    runCli(['openapi', join(folder, name), ...options])

  const pathsOf = (text: string): string[] => Object.keys(JSON.parse(text).paths)

  it('prints what clients see of the only version of a file', async () => {
    const { code, out, err } = await run('one.json')
    expect({ code, err }).to.deep.equal({ code: 0, err: '' })
    const { openapi, info, servers, paths } = JSON.parse(out)
    expect({ openapi, info, servers }).to.deep.equal({
      openapi: '3.1.1',
      info: { title: 'One', version: '1.0' },
      servers: [{ url: '/v1' }],
    })
    expect(Object.keys(paths)).to.deep.equal(['/open'])
    expect(out).not.to.include('x-wamp-gateway')
  })

  it('prints hidden operations and what lies behind each with --internal', async () => {
    const { out } = await run('one.json', '--internal')
    expect(pathsOf(out)).to.deep.equal(['/open', '/secret'])
    expect(JSON.parse(out).paths['/secret'].get['x-wamp-gateway']).to.deep.equal({
      ...{ action: 'static', pattern: '/v1/secret', hidden: true },
    })
  })

  it('prints YAML with --yaml', async () => {
    const { out } = await run('one.json', '--yaml')
    expect(out).to.match(/^openapi: 3\.1\.1\n/)
    expect(parseYaml(out, documentRules)).to.deep.equal(JSON.parse((await run('one.json')).out))
  })

  it('names servers and endpoints by the public URL of the environment', async () => {
    const GATEWAY_GATEWAY__PUBLIC_BASE_URL = 'https://api.example.com'
    const { out } = await runCli(['openapi', join(folder, 'one.json')], {
      GATEWAY_GATEWAY__PUBLIC_BASE_URL,
    })
    expect(JSON.parse(out).servers).to.deep.equal([{ url: 'https://api.example.com/v1' }])
  })

  it('needs --version where several versions are active', async () => {
    expect(await run('two.json')).to.deep.equal({
      ...{ code: 64, out: '', err: '--version: expected one of a, b\n' },
    })
    expect((await run('two.json', '--version', 'c')).err).to.equal(
      '--version: expected one of a, b; found "c"\n',
    )
    const { out } = await run('two.json', '--version', 'b')
    expect(JSON.parse(out).servers).to.deep.equal([{ url: '/b' }])
  })

  it('tells the mistakes of a document that does not load, and exits with 1', async () => {
    const { code, out, err } = await run('wrong.json')
    expect({ code, out }).to.deep.equal({ code: 1, out: '' })
    expect(err).to.include('wrong.json:1:1: error: /versions: versions is missing')
  })

  it('exits with 66 for a file that does not exist', async () => {
    expect((await run('none.yaml')).code).to.equal(66)
  })

  describe('of a running gateway', () => {
    const asked: string[] = []
    let server: Server
    before(async () => {
      const internal = (await run('one.json', '--internal')).out
      server = createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`)
        const isKnown = !request.url?.includes('none')
        response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' })
        response.end(
          isKnown ? internal : '{"code": "service.error.not_found", "message": "no none"}',
        )
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    })
    after(() => server.close())

    const ask = (...options: readonly string[]) => {
      const admin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      return runCli(['openapi', ...options, '--admin', admin])
    }

    it('is what clients see, without shared parts that only hidden operations use', async () => {
      const { code, out } = await ask('com.example.one', '--version', '1 0')
      expect(code).to.equal(0)
      expect(asked.at(-1)).to.equal('GET /api_specs/com.example.one/openapi?version=1%200')
      expect(JSON.parse(out)).to.deep.equal(JSON.parse((await run('one.json')).out))
    })

    it('is what operators see with --internal', async () => {
      expect((await ask('one', '--internal')).out).to.equal(
        (await run('one.json', '--internal')).out,
      )
      expect(asked.at(-1)).to.equal('GET /api_specs/one/openapi')
    })

    it('exits with 1 for an unknown id', async () => {
      expect(await ask('none')).to.deep.equal({ code: 1, out: '', err: 'no none\n' })
    })
  })
})
