/** Files of a folder over HTTP: what is served, what is not, and that nothing beyond the root ever is. */

import { execFileSync } from 'node:child_process'
import {
  link,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const secret = 'beyond the root'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
}

describe('files of a folder', () => {
  let gateway: TestGateway
  const base = mkdtempSync(join(tmpdir(), 'files-'))
  const root = join(base, 'site')
  const page = '<!doctype html><title>A page</title>'
  const big = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251))

  before(async () => {
    for (const folder of ['site/assets', 'site/empty', 'site/.well-known', 'site/.git', 'site/a b'])
      mkdirSync(join(base, folder), { recursive: true })
    const write = (name: string, bytes: string | Buffer) => writeFileSync(join(root, name), bytes)
    write('index.html', page)
    write('assets/app.js', 'let a = 1\n'.repeat(100))
    write('assets/app.js.br', brotliCompressSync('let a = 1\n'.repeat(100)))
    write('assets/app.js.gz', gzipSync('let a = 1\n'.repeat(100)))
    write('assets/index.html', 'assets')
    write('assets/big.bin', big)
    write('assets/empty.txt', '')
    write('.well-known/security.txt', 'Contact: a')
    write('.git/note.txt', 'a note')
    write('.git/config', secret)
    write('.env', secret)
    write('a b/ä%.txt', 'umlaut')
    writeFileSync(join(base, 'secret.txt'), secret)
    mkdirSync(join(base, 'site-other'))
    writeFileSync(join(base, 'site-other/x.txt'), secret)
    symlinkSync(join(base, 'secret.txt'), join(root, 'link.txt'))
    symlinkSync('../secret.txt', join(root, 'relative.txt'))
    symlinkSync(base, join(root, 'up'))
    symlinkSync('/etc', join(root, 'etc'))
    symlinkSync(join(base, 'site-other'), join(root, 'other'))
    symlinkSync('loop', join(root, 'loop'))
    symlinkSync('assets/app.js', join(root, 'inner.js'))
    symlinkSync('.git/note.txt', join(root, 'note.txt'))
    execFileSync('mkfifo', [join(root, 'pipe')])
    utimesSync(join(root, 'assets/app.js'), 1_700_000_000, 1_700_000_000)
    gateway = await startGateway(
      {
        'files.roots': JSON.stringify({
          site: { path: root, realms: ['com.example.test'] },
          strange: { path: root, realms: ['com.example.other'] },
        }),
      },
      { isEmbedded: true },
    )
    const action = {
      ...{ type: 'files', root: 'site' },
      cache_control: { 'assets/*': 'public, max-age=31536000, immutable', '*': 'no-cache' },
    }
    const { status, body } = await gateway.load({
      ...{ id: 'com.example.files', host: '_', realm_uri: 'com.example.test' },
      versions: {
        one: {
          base_path: '/site',
          paths: {
            '/[...]': {
              get: {
                action,
                response: {
                  on_result: {
                    headers: { 'x-of': '{{action.result.path}} {{action.result.size}}' },
                  },
                },
              },
            },
          },
        },
        app: {
          base_path: '/app',
          paths: {
            '/[...]': { get: { action: { ...action, fallback: 'index.html' }, response: {} } },
          },
        },
        single: {
          base_path: '/single',
          paths: {
            '/{name}.page': {
              get: {
                action: { type: 'files', root: 'site', path: 'assets/{{request.bindings.name}}' },
                response: { on_error: { status_code: 410, body: 'gone' } },
              },
            },
          },
        },
      },
    })
    expect([status, body.details]).to.deep.equal([201, undefined])
  })
  after(async () => {
    await gateway.stop()
    rmSync(base, { recursive: true })
  })

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Answer>((resolve, reject) => {
      const { hostname, port } = new URL(gateway.url)
      request({ hostname, port, path, headers, method }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () => {
          const { statusCode: status = 0, headers: told } = response
          resolve({ status, headers: told, body: Buffer.concat(chunks) })
        })
        response.on('error', reject)
      })
        .on('error', reject)
        .end()
    })

  for (const [path, type, text] of [
    ['/site/', 'text/html; charset=utf-8', page],
    ['/site/index.html', 'text/html; charset=utf-8', page],
    ['/site/assets/', 'text/html; charset=utf-8', 'assets'],
    ['/site/a%20b/%C3%A4%25.txt', 'text/plain; charset=utf-8', 'umlaut'],
    ['/site/.well-known/security.txt', 'text/plain; charset=utf-8', 'Contact: a'],
    ['/site/assets/empty.txt', 'text/plain; charset=utf-8', ''],
    ['/site/note.txt', 'text/plain; charset=utf-8', 'a note'],
    ['/site/inner.js', 'text/javascript; charset=utf-8', 'let a = 1\n'.repeat(100)],
    ['/single/app.js.page', 'text/javascript; charset=utf-8', 'let a = 1\n'.repeat(100)],
  ] as const) {
    it(`are served: ${path}`, async () => {
      const { status, headers, body } = await ask(path)
      expect([status, headers['content-type'], body.toString()]).to.deep.equal([200, type, text])
      expect(headers['content-length']).to.equal(String(Buffer.byteLength(text)))
      expect(headers.etag).to.match(/^W\/"/)
    })
  }

  for (const [path, location] of [
    ['/site', '/site/'],
    ['/site?a=b', '/site/?a=b'],
    ['/site/assets', '/site/assets/'],
    ['/site/a%20b?x', '/site/a%20b/?x'],
  ] as const) {
    it(`of a folder without its slash send there: ${path}`, async () => {
      const { status, headers } = await ask(path)
      expect([status, headers.location]).to.deep.equal([301, location])
    })
  }

  for (const path of [
    '/site/none',
    '/site/none.js',
    '/site/empty/',
    '/site/index.html/',
    '/site/index.html/x',
    '/site/.env',
    '/site/.git/config',
    '/site/.git/',
    '/site/.well-known/../.env',
    '/site/../secret.txt',
    '/site/%2e%2e/secret.txt',
    '/site/..%2fsecret.txt',
    '/site/..%5csecret.txt',
    '/site/%2e%2e%2fsecret.txt',
    '/site/..%c0%afsecret.txt',
    '/site/%252e%252e/secret.txt',
    '/site/....//secret.txt',
    '/site/..;/secret.txt',
    '/site/%00',
    '/site/index.html%00.txt',
    '/site//etc/passwd',
    '/site/link.txt',
    '/site/relative.txt',
    '/site/up/secret.txt',
    '/site/up/site/index.html/../../secret.txt',
    '/site/up/',
    '/site/etc/passwd',
    '/site/other/x.txt',
    '/site/loop',
    '/site/pipe',
    `/site/${'a'.repeat(5000)}`,
    '/single/..%2f..%2fsecret.page',
  ]) {
    it(`are not what ${path.slice(0, 60)} asks for`, async () => {
      const { status, body } = await ask(path)
      expect(status).to.be.oneOf([400, 404, 410])
      expect(body.toString()).not.to.include(secret)
    })
  }

  it('are told by the response for errors', async () => {
    const { status, body } = await ask('/single/none.page', { accept: 'application/json' })
    expect([status, body.toString()]).to.deep.equal([410, '"gone"'])
  })

  it('are told to the response', async () => {
    expect((await ask('/site/assets/app.js')).headers['x-of']).to.equal('assets/app.js 1000')
  })

  it('have the Cache-Control of the first pattern that they match', async () => {
    expect((await ask('/site/assets/app.js')).headers['cache-control']).to.include('immutable')
    expect((await ask('/site/')).headers['cache-control']).to.equal('no-cache')
  })

  describe('of a page that makes its own addresses', () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    for (const [path, headers, status] of [
      ['/app/orders/7', { accept }, 200],
      ['/app/orders/', { accept }, 200],
      ['/app/', { accept }, 200],
      ['/app/orders/7', { accept: '*/*' }, 404],
      ['/app/orders/7', {}, 404],
      ['/app/assets/app.3f2a.js', { accept }, 404],
      ['/app/.env', { accept }, 404],
      ['/app/link.txt', { accept }, 404],
    ] as const) {
      it(`${path} is ${status} for ${headers.accept ?? 'any type'}`, async () => {
        const answer = await ask(path, headers)
        expect(answer.status).to.equal(status)
        if (status === 200) expect(answer.body.toString()).to.equal(page)
        else expect(answer.body.toString()).not.to.include('A page')
      })
    }

    it('has the Cache-Control of the page', async () => {
      expect((await ask('/app/x', { accept })).headers['cache-control']).to.equal('no-cache')
    })
  })

  describe('in parts and on conditions', () => {
    for (const [range, status, told, from, to] of [
      ['bytes=0-9', 206, 'bytes 0-9/200000', 0, 10],
      ['bytes=199990-', 206, 'bytes 199990-199999/200000', 199_990, 200_000],
      ['bytes=-5', 206, 'bytes 199995-199999/200000', 199_995, 200_000],
      ['bytes=100-150000', 206, 'bytes 100-150000/200000', 100, 150_001],
      ['bytes=0-1,5-6', 200, undefined, 0, 200_000],
      ['bytes=a-b', 200, undefined, 0, 200_000],
      ['lines=0-1', 200, undefined, 0, 200_000],
    ] as const) {
      it(`${range} is ${status}`, async () => {
        const { status: answered, headers, body } = await ask('/site/assets/big.bin', { range })
        expect([answered, headers['content-range']]).to.deep.equal([status, told])
        expect(body.equals(big.subarray(from, to))).to.equal(true)
      })
    }

    it('are 416 beyond the end, with their size', async () => {
      const { status, headers, body } = await ask('/site/assets/big.bin', {
        range: 'bytes=200000-',
      })
      expect([status, headers['content-range'], body.length]).to.deep.equal([
        416,
        'bytes */200000',
        0,
      ])
    })

    it('are 304 where the client has them, and 412 where it must have them', async () => {
      const { headers } = await ask('/site/assets/app.js')
      const etag = String(headers.etag)
      const modified = String(headers['last-modified'])
      expect(modified).to.equal(new Date(1_700_000_000_000).toUTCString())
      const statusFor = async (conditions: Record<string, string>) =>
        (await ask('/site/assets/app.js', conditions)).status
      expect(await statusFor({ 'if-none-match': etag })).to.equal(304)
      expect(await statusFor({ 'if-none-match': '"x"' })).to.equal(200)
      expect(await statusFor({ 'if-none-match': '"x"', 'if-modified-since': modified })).to.equal(
        200,
      )
      expect(await statusFor({ 'if-modified-since': modified })).to.equal(304)
      expect(await statusFor({ 'if-match': '"x"' })).to.equal(412)
      expect(await statusFor({ 'if-unmodified-since': new Date(0).toUTCString() })).to.equal(412)
      expect(await statusFor({ range: 'bytes=0-1', 'if-range': etag })).to.equal(200)
      expect(await statusFor({ range: 'bytes=0-1', 'if-range': modified })).to.equal(206)
    })

    it('have no body for HEAD, and its fields', async () => {
      const got = await ask('/site/assets/big.bin')
      const { status, headers, body } = await ask('/site/assets/big.bin', {}, 'HEAD')
      expect([status, body.length]).to.deep.equal([200, 0])
      for (const name of [
        'content-length',
        'content-type',
        'etag',
        'last-modified',
        'cache-control',
      ])
        expect(headers[name], name).to.equal(got.headers[name])
      expect(headers['content-length']).to.equal('200000')
    })
  })

  describe('that are compressed already', () => {
    for (const [accepted, coding] of [
      ['br', 'br'],
      ['gzip, br;q=0.5', 'gzip'],
      ['gzip', 'gzip'],
      ['zstd', undefined],
      ['zstd, gzip;q=0.1', 'gzip'],
      ['br;q=0, gzip;q=0', undefined],
      ['identity', undefined],
    ] as const) {
      it(`are sent in ${coding ?? 'no coding'} for ${accepted}`, async () => {
        const { headers, body } = await ask('/site/assets/app.js', { 'accept-encoding': accepted })
        expect(headers['content-encoding']).to.equal(coding)
        expect(headers['content-type']).to.equal('text/javascript; charset=utf-8')
        expect(String(headers.vary).toLowerCase()).to.include('accept-encoding')
        expect(body.length === 1000).to.equal(coding === undefined)
      })
    }
  })

  it('give no byte from beyond the root while a link is switched', async () => {
    const hard = promisify(link)
    const place = join(root, 'race.txt')
    writeFileSync(join(root, 'inside.txt'), 'inside')
    await hard(join(root, 'inside.txt'), place)
    let isOver = false
    const switching = (async () => {
      for (let turn = 0; !isOver; turn++) {
        const other = join(root, `race-${turn % 2}`)
        if (turn % 2) symlinkSync(join(base, 'secret.txt'), other)
        else symlinkSync('inside.txt', other)
        renameSync(other, place)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    const seen = new Set<string>()
    for (let round = 0; round < 60; round++) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask('/site/race.txt')))
      for (const { status, body } of answers) seen.add(`${status} ${status === 200 ? body : ''}`)
    }
    isOver = true
    await switching
    unlinkSync(place)
    expect([...seen].filter((each) => !['200 inside', '404 '].includes(each))).to.deep.equal([])
  })

  describe('in a document', () => {
    const operation = (action: object, more: object = {}) => ({
      action: { type: 'files', root: 'site', ...action },
      response: {},
      ...more,
    })
    const issuesOf = async (path: string, operations: object) => {
      const { body } = await gateway.load({
        ...{ id: 'com.example.refused', host: 'refused.example', realm_uri: 'com.example.test' },
        versions: { one: { base_path: '/', paths: { [path]: operations } } },
      })
      return (body.details ?? []).map(({ message }) => message).join()
    }
    for (const [what, path, operations, message] of [
      ['an unknown root', '/[...]', { get: operation({ root: 'none' }) }, 'no root "none"'],
      [
        'a root of another realm',
        '/[...]',
        { get: operation({ root: 'strange' }) },
        'no root "strange"',
      ],
      ['another method', '/[...]', { post: operation({}) }, 'files is allowed under get'],
      ['no rest and no path', '/a', { get: operation({}) }, 'the path has no [...]'],
      [
        'a list',
        '/[...]',
        { get: { action: [operation({}).action], response: {} } },
        'may not stand in a list',
      ],
      [
        'a body of its own',
        '/[...]',
        { get: operation({}, { response: { on_result: { body: 1 } } }) },
        'has the body of its file',
      ],
      [
        'a root of the request',
        '/[...]',
        { get: operation({ root: '{{request.bindings.rest}}' }) },
        'known',
      ],
      ['a fallback beyond', '/[...]', { get: operation({ fallback: '../x' }) }, 'piece'],
      [
        'a Cache-Control that is no field',
        '/[...]',
        { get: operation({ cache_control: { '*': 'a\nb' } }) },
        'Cache-Control',
      ],
      ['no root', '/[...]', { get: { action: { type: 'files' }, response: {} } }, 'root'],
    ] as const) {
      it(`have an issue: ${what}`, async () => {
        expect(await issuesOf(path, operations)).to.include(message)
      })
    }
  })
})
