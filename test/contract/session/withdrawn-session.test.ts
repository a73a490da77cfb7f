/** Registrations that are taken back: nothing that was asked before is lost, and nothing is asked any more. */
import { expect } from 'chai'
import { openRouter, type TestRouter } from '#test/support/peers/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { basics, clients, failureOf, freshUri, nothing } from './support.ts'

describe('a session that withdraws', () => {
  let router: TestRouter

  before(async () => {
    router = await openRouter()
  })
  after(() => router.stop())

  for (const [name, open] of clients) {
    it(`answers what was called before, and is called no more, with ${name}`, async () => {
      const callee = open({ ...basics, url: router.url })
      const caller = open({ ...basics, url: router.url })
      await Promise.all([callee.joined(5000), caller.joined(5000)])
      const uri = freshUri()
      const called = Promise.withResolvers<void>()
      const answered = Promise.withResolvers<void>()
      await callee.register(uri, async () => {
        called.resolve()
        await answered.promise
        return { args: ['in time'], kwargs: {} }
      })
      const call = caller.call(uri, nothing, {}, 10_000)
      await called.promise
      const withdrawn = callee.withdraw()
      const refusal = async () =>
        (await failureOf(caller.call(uri, nothing, {}, 10_000).result)).error_uri
      await untilHolds(async () => (await refusal()) === 'wamp.error.no_such_procedure')
      answered.resolve()
      await withdrawn
      await callee.leave()
      expect((await call.result).args).to.deep.equal(['in time'])
      await caller.leave()
    })
  }
})
