/** The files of the configuration: loaded at start, each only when it has changed since it was last loaded. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { staticDocument } from './faces.ts'

describe('the files of the configuration', () => {
  let folder: string
  let gateway: TestGateway | undefined

  const write = (name: string, content: unknown) =>
    writeFileSync(
      join(folder, name),
      typeof content === 'string' || content instanceof Buffer ? content : JSON.stringify(content),
    )
  const start = async () => {
    gateway = await startGateway({
      data_dir: join(folder, 'data'),
      specs: JSON.stringify([join(folder, '*.spec.json')]),
      realms: JSON.stringify([join(folder, '*.realm.json')]),
    })
    return gateway
  }
  const restart = async () => {
    await gateway?.stop()
    return start()
  }
  const bodyOf = async (name: string) => {
    const answer = await send(gateway?.url ?? '', `/${name}/body`)
    return answer.status === 200 ? answer.json() : answer.status
  }
  const realm = (description: string) => ({
    uri: 'com.example.from_file',
    description,
    authmethods: ['anonymous'],
  })
  const readRealm = async () => {
    const answer = await send(gateway?.adminUrl ?? '', `/realms/${realm('').uri}`)
    return (answer.json() as { description: string }).description
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-files-'))
    mkdirSync(join(folder, 'data'))
    write('a.realm.json', [{ uri: 'com.example.test', authmethods: ['anonymous'] }])
  })
  afterEach(async () => {
    await gateway?.stop()
    gateway = undefined
    rmSync(folder, { recursive: true, force: true })
  })

  it('serve when the gateway is ready; a bad one hides no other', async () => {
    write('1.spec.json', staticDocument('one', 1))
    write('2.spec.json', 'this is no JSON')
    write('3.spec.json', { id: 'com.example.broken' })
    write('4.spec.json', { ...staticDocument('nowhere', 4), realm_uri: 'com.no.such.realm' })
    write('5.spec.json', staticDocument('five', 5))
    await start()
    expect(await bodyOf('one')).to.equal(1)
    expect(await bodyOf('five')).to.equal(5)
    expect(await bodyOf('nowhere')).to.equal(404)
    const list = await send(gateway?.adminUrl ?? '', '/api_specs')
    expect((list.json() as { id: string }[]).map(({ id }) => id)).to.deep.equal([
      'com.example.five',
      'com.example.one',
    ])
  })

  it('are named by /ready and /registry when they are refused', async () => {
    write('1.spec.json', staticDocument('one', 1))
    write('2.spec.json', { ...staticDocument('two', 2), realm_uri: 'com.no.such.realm' })
    const { adminUrl } = await start()
    const file = join(folder, '2.spec.json')
    const ready = await send(adminUrl, '/ready')
    expect([ready.status, ready.text]).to.deep.equal([
      200,
      `ready\nthe file ${file} was refused: 1 issue, listed by GET /registry`,
    ])
    const registry = await send(adminUrl, '/registry')
    expect((registry.json() as { refused_files: unknown }).refused_files).to.deep.equal([
      {
        file,
        issues: [
          {
            path: '/realm_uri',
            message:
              'the realm does not exist: load a realm document first, {"uri": "…"}, by `wamp-gateway realm load`, POST /realms, service.load_realm, or `realms` of the configuration',
          },
        ],
      },
    ])
    const metrics = await send(adminUrl, '/metrics')
    expect(metrics.text.split('\n')).to.include('gateway_refused_files 1')
  })

  it('are taken in file-name order: of two with one id the first serves, after a restart, too', async () => {
    write('b.spec.json', staticDocument('same', 'b'))
    write('a.spec.json', staticDocument('same', 'a'))
    await start()
    expect(await bodyOf('same')).to.equal('a')
    await restart()
    expect(await bodyOf('same')).to.equal('a')
  })

  it('undo nothing that was loaded since, until they change', async () => {
    write('x.spec.json', staticDocument('x', 'of the file'))
    const first = await start()
    expect(await bodyOf('x')).to.equal('of the file')
    await first.load(staticDocument('x', 'of somebody'))
    await restart()
    expect(await bodyOf('x')).to.equal('of somebody')
    write('x.spec.json', staticDocument('x', 'of the changed file'))
    await restart()
    expect(await bodyOf('x')).to.equal('of the changed file')
    await restart()
    expect(await bodyOf('x')).to.equal('of the changed file')
  })

  it('do not undo a rollback', async () => {
    write('x.spec.json', staticDocument('x', 'of the file'))
    const { adminUrl, load } = await start()
    const read = await send(adminUrl, '/api_specs/com.example.x')
    const hash = String(read.headers.etag).replaceAll('"', '')
    write('x.spec.json', staticDocument('x', 'a mistake'))
    await load(staticDocument('x', 'a mistake'))
    const path = '/api_specs/com.example.x/rollback'
    expect((await send(adminUrl, path, { method: 'POST', body: { hash } })).status).to.equal(200)
    await restart()
    expect(await bodyOf('x')).to.equal('of the file')
    write('x.spec.json', staticDocument('x', 'mended'))
    await restart()
    expect(await bodyOf('x')).to.equal('mended')
  })

  it('bring nothing back that was deleted since, until they change', async () => {
    write('x.spec.json', staticDocument('x', 'of the file'))
    const { adminUrl } = await start()
    await send(adminUrl, '/api_specs/com.example.x', { method: 'DELETE' })
    await restart()
    expect(await bodyOf('x')).to.equal(404)
    write('x.spec.json', staticDocument('x', 'again'))
    await restart()
    expect(await bodyOf('x')).to.equal('again')
  })

  it('keep serving when they are gone: what was loaded is in the store', async () => {
    write('x.spec.json', staticDocument('x', 'of the file'))
    await start()
    rmSync(join(folder, 'x.spec.json'))
    await restart()
    expect(await bodyOf('x')).to.equal('of the file')
  })

  it('of realms are treated in the same way', async () => {
    write('b.realm.json', realm('of the file'))
    const { adminUrl } = await start()
    expect(await readRealm()).to.equal('of the file')
    await send(adminUrl, '/realms', { method: 'POST', body: realm('of somebody') })
    expect(await readRealm()).to.equal('of somebody')
    await restart()
    expect(await readRealm()).to.equal('of somebody')
    write('b.realm.json', realm('of the changed file'))
    await restart()
    expect(await readRealm()).to.equal('of the changed file')
  })

  describe('in YAML', () => {
    const settings = () => ({
      data_dir: join(folder, 'data'),
      specs: JSON.stringify([join(folder, 'spec.*')]),
      realms: JSON.stringify([join(folder, '*.realm.{json,yaml}')]),
    })
    const text = (body: string) => `# a comment
id: com.example.yaml
host: _
realm_uri: com.example.test
versions:
  1.0:
    base_path: /yaml
    paths:
      /body:
        get:
          action: { type: static, body: ${body} }
          response: { on_result: { body: '{{action.result.body}}' }, on_error: {} }
`

    it('are what the same documents in JSON are: specifications and realms, with every digit', async () => {
      write(
        'b.realm.yaml',
        'uri: com.example.from_file\ndescription: of YAML\nauthmethods: [anonymous]\n',
      )
      write('spec.yml', text('18446744073709551615'))
      gateway = await startGateway(settings())
      const answer = await send(gateway.url, '/yaml/body')
      expect(answer.text).to.equal('18446744073709551615')
      expect(await readRealm()).to.equal('of YAML')
    })

    it('are not loaded again when only a comment or the format has changed', async () => {
      write('spec.yaml', text('of the file'))
      gateway = await startGateway(settings())
      await gateway.load(staticDocument('yaml', 'of somebody'))
      write('spec.yaml', `# another comment\n${text('"of the file"')}`)
      await gateway.stop()
      gateway = await startGateway(settings())
      expect(await bodyOf('yaml')).to.equal('of somebody')
    })

    it('hide no other when one is broken', async () => {
      write('spec.a.yaml', 'id: [1, 2\n')
      write('spec.b.yaml', Buffer.from([0x69, 0x64, 0x3a, 0x20, 0xff]))
      write('spec.c.yaml', text('of the good one'))
      gateway = await startGateway(settings())
      expect(await bodyOf('yaml')).to.equal('of the good one')
    })
  })
})
