/** What `[...]` matches, as a binding and in a forward, and the prefix that a forward takes off. */
import { expect } from 'chai'
import { readTarget } from '#component/action/forward/target.ts'
import { bodyOf, call, documentOf, issuesOf, serve } from './fake-exchange.ts'

const forward = (more: object = {}) => ({
  action: { type: 'forward', host: 'http://up', ...more },
  response: {},
})

/** The target that goes out for a path; the error for a refusal. */
async function targetOf(pattern: string, more: object, path: string, version: object = {}) {
  const served = serve(
    documentOf({ [pattern]: { get: forward(more) } }, {}, version),
    ({ fields, run }) => {
      const target = readTarget(fields, run)
      const body = Buffer.from(target)
      const answer = { status_code: 200, headers: {}, body, length: undefined }
      return { result: { status_code: 200, headers: {}, body: '', uri: target }, answer }
    },
  )
  const reply = await served.ask(`GET ${path}`)
  return reply.status === 200 ? String(bodyOf(reply)) : reply.error?.uri
}

describe('request.bindings.rest', () => {
  const get = call({ args: ['{{request.bindings.rest}}'] })
  const version = { base_path: '/[v1]' }
  for (const [pattern, path, rest] of [
    ['/files/[...]', '/v1/files/a/b.txt', 'a/b.txt'],
    ['/files/[...]', '/files/a/b.txt', 'a/b.txt'],
    ['/files/[...]', '/v1/files/a%20b/%C3%A4', 'a b/ä'],
    ['/files/[...]', '/v1/files/a/', 'a'],
    ['/files/[...]', '/v1/files', ''],
    ['/files/[...]', '/v1/files/', ''],
    ['/:a/[b]/[...]', '/v1/x/b/c', 'c'],
    ['/:a/[b]/[...]', '/v1/x/c/d', 'c/d'],
    ['/[...]', '/v1', ''],
    ['/[...]', '/a/b', 'a/b'],
    ['/:rest', '/v1/a%2520b', 'a%20b'],
  ] as const) {
    it(`is ${JSON.stringify(rest)} for ${path} at ${pattern}`, async () => {
      const served = serve(documentOf({ [pattern]: { get } }, {}, version))
      await served.ask(`GET ${path}`)
      expect(served.performed[0]?.fields.args).to.deep.equal([rest])
    })
  }

  it('is an issue where the path has no [...], and a name that a binding beside it cannot have', () => {
    const [issue] = issuesOf(documentOf({ '/files': { get } }))
    expect(issue?.message).to.include('there is no "request.bindings.rest"')
    expect(issuesOf(documentOf({ '/:rest/[...]': { get } }))[0]?.message).to.include('another name')
  })
})

describe('the rest in a forward', () => {
  for (const [field, path, target] of [
    [{ path: '/up/{{request.bindings.rest}}' }, '/v1/f/a%20b/c,d;e=1/%25', '/up/a%20b/c,d;e=1/%25'],
    [{ path: '/up/{{request.bindings.rest}}' }, '/v1/f', '/up/'],
    [{ path: '/up/{{request.bindings.rest}}' }, '/v1/f/', '/up/'],
    [{ path: '/up/{{request.bindings.rest}}' }, '/v1/f/a/b%20c/', '/up/a/b%20c/'],
    [{ path: '/up/{{request.bindings.rest}}' }, '/v1/f/a/?q=1/', '/up/a/?q=1/'],
    [{ path: '/up/{{request.bindings.rest}}?x=1' }, '/v1/f/a/', '/up/a/?x=1'],
    [{ path: '/up/{{request.bindings.rest}}.x' }, '/v1/f/a', '/up/a.x'],
    [{ path: '/up/{{request.bindings.rest}}/x' }, '/v1/f/a/', '/up/a/x'],
    [{ path: '/up/{{request.bindings.rest}}/x' }, '/v1/f/a', '/up/a/x'],
    [{ path: '{{request.path}}' }, '/v1/f/a/', '/v1/f/a/'],
    [{ path: '{{request.path}}' }, '/v1/f/a', '/v1/f/a'],
    [{ path: '/up{{request.path}}' }, '/v1/f/a%20b/', '/up/v1/f/a%20b/'],
    [{ path: '{{request.path}}/x' }, '/v1/f/a/', '/v1/f/a/x'],
    [{ path: '{{request.path}}?x=1' }, '/v1/f/a/', '/v1/f/a?x=1'],
    [{ path: '/x', query_string: 'p={{request.path}}' }, '/v1/f/a/', '/x?p=/v1/f/a'],
    [{}, '/v1/f/a/', '/v1/f/a/'],
    [{}, '/v1/f/a', '/v1/f/a'],
    [{}, '/v1/f/', '/v1/f/'],
    [{}, '/v1/f/a%2C/?q=1', '/v1/f/a%2C/?q=1'],
    [{ query_string: '' }, '/v1/f/a/?q=1', '/v1/f/a/'],
    [{ path: '/up?p={{request.bindings.rest}}' }, '/v1/f/a/b%20c', '/up?p=a%2Fb%20c'],
    [
      { path: '/up', query_string: 'p={{request.bindings.rest}}' },
      '/v1/f/a/b&c',
      '/up?p=a%2Fb%26c',
    ],
    [{ path: '/up/{{request.bindings.rest |> url:raw}}' }, '/v1/f/a/b%3Fc', '/up/a/b%3Fc'],
  ] as const) {
    it(`of ${path} makes ${target}`, async () => {
      expect(await targetOf('/f/[...]', field, path)).to.equal(target)
    })
  }

  for (const path of ['/v1/f/x%252f..%252fy', '/v1/f/%252e%252e/y', '/v1/f/..;a/y']) {
    it(`makes no dot segment of ${path}`, async () => {
      const target = await targetOf('/f/[...]', { path: '/up/{{request.bindings.rest}}' }, path)
      const isWhole = target === `/up${path.slice('/v1/f'.length)}` && !target.includes('/%252e')
      expect(isWhole || target === 'service.error.bad_request', String(target)).to.equal(true)
      expect(target).to.not.match(/\/\.\.(?:$|[;/])/)
    })
  }

  it('is one value where it is a binding that the document names so', async () => {
    const field = { path: '/up/{{request.bindings.rest}}' }
    expect(await targetOf('/f/:rest', field, '/v1/f/a,b')).to.equal('/up/a%2Cb')
  })
})

describe('strip_prefix', () => {
  for (const [prefix, pattern, path, target] of [
    ['/v1', '/f/[...]', '/v1/f/a%20b/c', '/f/a%20b/c'],
    ['/v1/f', '/f/[...]', '/v1/f/a?q=1', '/a?q=1'],
    ['/v1/f/', '/f/[...]', '/v1/f/', '/'],
    ['/v1/f', '/f/[...]', '/v1/f', '/'],
    ['/v1', '/f/:id', '/f/7', '/f/7'],
    ['/v1', '/:id', '/v1x', '/v1x'],
    ['/v1', '/:id', '/v1/v1', '/v1'],
    ['/caf%C3%A9', '/[...]', '/caf%c3%a9/x', '/x'],
    ['/v1', '/f/:id', '/v1/f/7/', '/f/7/'],
    ['/v1/f', '/f/[...]', '/v1/f/a/b/?q=1', '/a/b/?q=1'],
    ['/v1/f/7', '/f/:id', '/v1/f/7/', '/'],
    ['/v1/f/7', '/f/:id', '/v1/f/8/', '/v1/f/8/'],
    ['/v1', '/f/:id', '/f/7/', '/f/7/'],
  ] as const) {
    it(`${prefix} makes ${target} of ${path}`, async () => {
      const version = { base_path: '/[v1]' }
      expect(await targetOf(pattern, { strip_prefix: prefix }, path, version)).to.equal(target)
    })
  }

  for (const [title, more, message] of [
    ['beside path', { strip_prefix: '/v1', path: '/x' }, 'path names another'],
    ['that no path begins with', { strip_prefix: '/v2' }, 'no path that this operation serves'],
    ['that is longer than the path', { strip_prefix: '/v1/f/g' }, 'no path that this operation'],
    ['that a request computes', { strip_prefix: '{{request.path}}' }, 'must be known at load'],
    ['with a binding, from a variable', { strip_prefix: '{{variables.p}}' }, 'expected a path'],
  ] as const) {
    it(`is refused ${title}`, () => {
      const document = documentOf({ '/f': { get: forward(more) } }, { variables: { p: '/:v' } })
      const issues = issuesOf(document)
      expect(issues).to.have.lengthOf(1)
      expect(issues[0]?.path).to.match(/\/get\/action\/strip_prefix$/)
      expect(issues[0]?.message).to.include(message)
    })
  }
})
