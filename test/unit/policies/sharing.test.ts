/** Whatever users ask, in whatever order: nobody gets an answer that was made for another request. */
import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '#test/support/running/rounds.ts'
import { call } from '#test/unit/gateway/fake-exchange.ts'
import { cached, resultOf, security, settle, textOf } from './cached.ts'

const body = '{{action.result.args |> head}}'
const args = ['{{security.authid}}', '{{security.authroles |> head}}', '{{request.headers.x-read}}']
const rule = { ttl: 10, stale_while_revalidate: 20, stale_if_error: 20, vary: ['x-vary'] }

/** A callee that answers with all that it is told, and may vary by it. */
const get = call({ args }, { body, headers: { Vary: 'X-Upstream' } })
const put = call({}, {})

/** Most requests are alike. */
const mostly = (usual: string, ...others: readonly string[]) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )

const request = fc.record({
  user: fc.constantFrom('ann', 'bob'),
  role: mostly('user', 'admin'),
  path: fc.constantFrom('/v1/own', '/v1/shared'),
  method: mostly('GET', 'PUT'),
  id: mostly('1', '2'),
  query: mostly('', '?a=1&b=2', '?b=2&a=1'),
  vary: mostly('a', 'b'),
  read: mostly('a', 'b'),
  upstream: mostly('a', 'b'),
  wait: fc.constantFrom(0, 0, 0, 0, 5, 15, 60),
  isAtOnce: fc.boolean(),
})

describe('kept answers', () => {
  it('are never those of another user, URL or field, unless the document shares them', async () => {
    let hits = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 2, maxLength: 60, size: 'max' }),
        async (requests) => {
          const { ask, clock } = cached(
            {
              '/own/:id': { cache: rule, security, get, put },
              '/shared/:id': { cache: { ...rule, per: 'all' }, security, get, put },
            },
            {
              perform({ fields, run }) {
                const { path, query_string, headers } = run.request
                const told = {
                  path,
                  query_string,
                  vary: headers['x-vary'],
                  upstream: headers['x-upstream'],
                }
                return resultOf({ ...told, told: fields.args })
              },
            },
          )
          const under: Promise<void>[] = []
          for (const { user, role, path, method, id, query, ...asked } of requests) {
            const headers = {
              authorization: `${user} ${role}`,
              ...{ 'x-vary': asked.vary, 'x-read': asked.read, 'x-upstream': asked.upstream },
            }
            const asking = ask(`${method} ${path}/${id}${query}`, { headers }).then((reply) => {
              if (method !== 'GET') return
              if (/; hit|collapsed/.test(String(reply.headers['cache-status']))) hits += 1
              const answer = JSON.parse(String(textOf(reply)))
              expect(answer).to.include({
                ...{ path: `${path}/${id}`, query_string: query.slice(1) },
                ...{ vary: asked.vary, upstream: asked.upstream },
              })
              expect(answer.told[2]).to.equal(asked.read)
              if (path === '/v1/own') expect(answer.told.slice(0, 2)).to.deep.equal([user, role])
            })
            under.push(asking)
            if (!asked.isAtOnce) await Promise.all(under.splice(0))
            clock.pass(asked.wait)
          }
          await Promise.all(under)
          await settle()
        },
      ),
      { numRuns: rounds(100, 4_000) },
    )
    expect(hits).to.be.greaterThan(100)
  })
})
