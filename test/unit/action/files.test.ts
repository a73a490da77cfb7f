/** `files`: what is asked of a root, the response of an example, and its description. */
import { expect } from 'chai'
import type { AskedFile } from '#component/action/files/perform.ts'
import { filesAction } from '#component/action/files/perform.ts'
import { Semaphore } from '#component/limits/semaphore.ts'
import { rehearse } from '#test/unit/explain/rehearse.ts'
import { documentOf } from '#test/unit/gateway/fake-exchange.ts'
import { describeDocument, operationsOf } from '#test/unit/openapi/describe.ts'

const operation = (more: object = {}, action: object = {}) => ({
  action: { type: 'files', root: 'site', ...action },
  response: { on_result: { headers: { 'x-size': '{{action.result.size}}' } } },
  ...more,
})

const openFiles = () => new Semaphore({ atOnce: 1, waiting: 0, refusal: 'full' })

/** What the root is asked for by requests with these fields. */
async function askedBy(
  fields: object,
  path: string,
  rest: string,
  headers: Record<string, string> = {},
): Promise<readonly string[]> {
  const asked: AskedFile[] = []
  const roots = {
    open: async (one: AskedFile) => {
      asked.push(one)
      return 'nothing' as const
    },
  }
  const run = {
    ...{ realm_uri: 'r', method: 'get' },
    request: { path, receivedPath: path, headers, query_string: '', bindings: { rest } },
  }
  await filesAction({ roots, openFiles: openFiles() }).perform(
    { root: 'site', ...fields },
    run as never,
  )
  return asked.map(({ pieces, codings }) => [pieces.join('/'), ...codings].join(' '))
}

describe('files', () => {
  for (const [what, fields, path, rest, headers, asked] of [
    ['the rest of the path', {}, '/x/a/b', 'a/b', {}, ['a/b']],
    ['the path that is declared', { path: 'c/d' }, '/x', '', {}, ['c/d']],
    ['a path with a slash before it', { path: '/c' }, '/x', '', {}, ['c']],
    ['the index of the root', {}, '/x/', '', {}, ['index.html']],
    ['another index', { index: 'a/b.html' }, '/x/', '', {}, ['a/b.html']],
    ['nothing for a dot segment', {}, '/x', 'a/../b', {}, []],
    ['nothing for an empty piece', {}, '/x', 'a//b', {}, []],
    ['nothing for a backslash', {}, '/x', 'a\\b', {}, []],
    ['nothing for NUL', {}, '/x', 'a\0', {}, []],
    ['nothing for a hidden file', {}, '/x', 'a/.b', {}, []],
    ['what is well known', {}, '/x', '.well-known/a', {}, ['.well-known/a']],
    ['codings by weight', {}, '/x', 'a', { 'accept-encoding': 'gzip, br;q=0.1' }, ['a gzip br']],
    ['the fallback', { fallback: 'i.html' }, '/x', 'a', { accept: 'text/html' }, ['a', 'i.html']],
    ['no fallback for any type', { fallback: 'i.html' }, '/x', 'a', { accept: '*/*' }, ['a']],
    [
      'no fallback for a script',
      { fallback: 'i.html' },
      '/x',
      'a.js',
      { accept: 'text/html' },
      ['a.js'],
    ],
  ] as const) {
    it(`ask for ${what}`, async () => {
      expect(await askedBy(fields, path, rest, headers)).to.deep.equal(asked)
    })
  }

  it('are answered in examples by their outcome', async () => {
    const document = documentOf({ '/[...]': { get: operation() } })
    const request = { path: '/v1/a.txt' }
    const served = await rehearse(document, {
      request,
      outcome: { result: { path: 'a.txt', size: 7 } },
    })
    expect([served.sent?.status, served.sent?.headers['x-size']]).to.deep.equal([200, '7'])
    const error = { error_uri: 'service.error.not_found', args: [], kwargs: {}, details: {} }
    const missing = await rehearse(document, { request, outcome: { error } })
    expect(missing.sent?.status).to.equal(404)
  })

  it('are not published unless the document says so', () => {
    const paths = {
      '/a/[...]': { get: operation() },
      '/b/[...]': { get: operation({ hidden: false }) },
    }
    expect(operationsOf(describeDocument(documentOf(paths)))).to.deep.equal(['get /b/{rest}'])
  })

  it('wait where as many are open as may be', async () => {
    const begun = Promise.withResolvers<void>()
    const roots = { open: () => begun.promise.then(() => 'nothing' as const) }
    const action = filesAction({ roots, openFiles: openFiles() })
    const run = {
      realm_uri: 'r',
      method: 'get',
      request: { path: '/x', headers: {}, bindings: { rest: 'a' } },
    }
    const first = action.perform({ root: 'site' }, run as never)
    const second = await action.perform({ root: 'site' }, run as never).catch((error) => error)
    expect(second).to.have.property('uri', 'service.error.unavailable')
    begun.resolve()
    expect(await first).to.have.property('error')
  })
})
