/** Paths as existing programs have them: python-gitlab escapes slashes within a segment, and Django REST framework ends each path in one. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { pathsProgram } from '#test/support/peers/python-environment.ts'

const run = promisify(execFile)
const script = (name: string): string => join(import.meta.dirname, name)

/** A document with the paths below `/`. */
const documentOf = (paths: object) => ({
  ...{ id: 'com.example.paths', host: '_', realm_uri: 'com.example.test' },
  versions: { 1: { base_path: '/', paths } },
})

describe('python-gitlab behind escaped_slashes', () => {
  let gateway: TestGateway
  let upstream: Server
  const arrived: string[] = []

  before(async () => {
    upstream = createServer(({ method, url }, response) => {
      arrived.push(`${method} ${url}`)
      const isList = /\/projects\?|\/projects$/.test(url ?? '')
      // python-gitlab goes on with the id of what it has read
      const body = isList ? [] : { id: 7, path: 'p', name: 'n', file_path: 'f' }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    gateway = await startGateway()
  })
  after(async () => {
    await gateway?.stop()
    upstream?.close()
  })

  const expected = [
    'GET /api/v4/projects/group%2Fsub%20group%2Fproject',
    'GET /api/v4/projects/7/repository/files/docs%2Fa%2Bb%2F%C3%BCber.md?ref=feature%2Fx',
    'GET /api/v4/projects/7/repository/branches/feature%2Fx%252F1',
    'DELETE /api/v4/projects/7/labels/kind%3A%3Abug%2F50%25',
    'GET /api/v4/groups/group%2Fsub%20group',
    'GET /api/v4/groups/7/projects',
  ]
  const host = (): string => `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`

  it('sends these requests without a gateway', async () => {
    await run(pathsProgram('python'), [script('gitlab_client.py'), host()])
    expect(arrived.splice(0)).to.deep.equal(expected)
  })

  it('sends them byte for byte through one', async () => {
    const operation = { action: { type: 'forward', host: host() }, response: { on_error: {} } }
    await gateway.mustLoad(
      documentOf({
        '/api/v4/[...]': { escaped_slashes: 'keep', get: operation, delete: operation },
      }),
    )
    await run(pathsProgram('python'), [script('gitlab_client.py'), gateway.url])
    expect(arrived.splice(0)).to.deep.equal(expected)
  })
})

describe('Django REST framework behind a gateway', () => {
  let gateway: TestGateway
  let django: ReturnType<typeof spawn>

  before(async () => {
    django = spawn(pathsProgram('python'), [script('django_books.py')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    const [port] = (await once(django.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
    const host = `http://127.0.0.1:${Number(port)}`
    gateway = await startGateway()
    const forwards = {
      plain: { strip_prefix: '/plain' },
      bound: { path: '/{{request.bindings.rest}}' },
      dropped: { strip_prefix: '/dropped' },
    }
    await gateway.mustLoad(
      documentOf(
        Object.fromEntries(
          Object.entries(forwards).map(([name, keys]) => {
            const operation = { action: { type: 'forward', host, ...keys }, response: {} }
            const finals = name === 'dropped' ? { final_slash: 'drop' } : {}
            return [`/${name}/[...]`, { ...finals, get: operation, post: operation }]
          }),
        ),
      ),
    )
  })
  after(async () => {
    await gateway?.stop()
    django?.stdin?.end()
    if (django?.exitCode === null) await once(django, 'exit')
  })

  const post = (path: string): Promise<Response> =>
    fetch(gateway.url + path, {
      ...{ method: 'POST', redirect: 'manual', body: JSON.stringify({ title: 'Emma' }) },
      headers: { 'content-type': 'application/json' },
    })

  for (const name of ['plain', 'bound']) {
    it(`makes a book by POST to /books/, without a redirect: ${name}`, async () => {
      const answer = await post(`/${name}/books/`)
      expect(answer.status).to.equal(201)
      const { id, title } = (await answer.json()) as { readonly id: number; readonly title: string }
      expect(title).to.equal('Emma')
      const read = await fetch(`${gateway.url}/${name}/books/${id}/`, { redirect: 'manual' })
      expect([read.status, await read.json()]).to.deep.equal([200, { id, title }])
    })
  }

  it('passes its redirect on where the slash is missing, or the document drops it', async () => {
    for (const path of ['/plain/books', '/dropped/books/'])
      expect((await post(path)).status, path).to.equal(301)
  })
})
