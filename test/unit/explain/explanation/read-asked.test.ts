/** What is to be explained: everything that is wrong with it is told at once. */
import { expect } from 'chai'
import { InvalidSpecError } from '#component/errors.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { explained } from './explained.ts'

describe('what is to be explained', () => {
  const cases: readonly (readonly [asked: JsonMap, paths: readonly string[]])[] = [
    [{}, ['/request']],
    [{ request: [] }, ['/request']],
    [
      { request: { method: 'brew', path: 'x', scheme: 'ftp' } },
      ['/request/method', '/request/path', '/request/scheme'],
    ],
    [{ request: { header: {} } }, ['/request/header']],
    [{ request: { headers: { a: [] } } }, ['/request/headers/a']],
    [{ request: {}, as: 'root' }, ['/as']],
    [{ request: {}, as: {} }, ['/as/authid']],
    [{ request: {}, outcome: { result: [] } }, ['/outcome/result']],
    [{ request: {}, outcome: { one: 1 } }, ['/outcome/one']],
    [{ request: {}, outcome: [] }, ['/outcome']],
    [{ request: {}, outcome: { error: { uri: 'x' } } }, ['/outcome/error/uri']],
    [
      { request: {}, outcome: { events: [{ topic: 'a..b', n: 1 }] } },
      ['/outcome/events/0/n', '/outcome/events/0/topic'],
    ],
    [{ request: {}, outcome: { events: [], result: {} } }, ['/outcome/result']],
    [{ request: {}, outcome: { pieces: Array(1001).fill({}) } }, ['/outcome/pieces']],
    [{ request: {}, outcome: { one: { pieces: [7] } } }, ['/outcome/one/pieces/0']],
    [{ request: {}, api_spec: 'x', more: 1 }, ['/api_spec', '/more']],
    [{ request: {}, invocation: { procedure: 'a.b' } }, ['/invocation']],
    [{ invocation: {} }, ['/invocation/procedure']],
    [{ invocation: { procedure: 'a.b' }, as: 'anonymous' }, ['/as']],
    [
      { invocation: { procedure: 'a b', args: {}, kwargs: [], caller: { role: 'a' }, path: '/' } },
      [
        ...['/invocation/procedure', '/invocation/args', '/invocation/kwargs'],
        ...['/invocation/caller/role', '/invocation/path'],
      ],
    ],
  ]
  for (const [asked, paths] of cases) {
    it(`is refused at ${paths.join(', ')}: ${JSON.stringify(asked)}`, async () => {
      const error = await explained(asked, []).catch((cause: unknown) => cause)
      expect(error).to.be.instanceOf(InvalidSpecError)
      const issues = error instanceof InvalidSpecError ? error.issues : []
      expect(issues.map(({ path }) => path).sort()).to.deep.equal([...paths].sort())
    })
  }
})
