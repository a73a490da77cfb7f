/** A forward with `cache` does what RFC 9111 demands of a shared cache. */
import { expect } from 'chai'
import { cacheCases, fieldsAt } from '#test/cases/shared-cache.ts'
import { answerOf, cached, forwarded } from './cached.ts'

describe('RFC 9111', () => {
  for (const row of cacheCases) {
    const { section, demand, first, status, between, second, path = '', isReused } = row
    it(`§${section}: ${demand}`, async () => {
      const paths = { '/x': {}, '/x/other': {} }
      const operations = { get: forwarded, post: forwarded, put: forwarded, delete: forwarded }
      const { ask, runs, clock } = cached(
        Object.fromEntries(Object.keys(paths).map((key) => [key, { cache: {}, ...operations }])),
        {
          perform({ run }) {
            if (run.method !== 'get') return answerOf({}, undefined, between?.status)
            return answerOf(fieldsAt(row, clock.now()), undefined, status)
          },
        },
      )
      await ask('GET /v1/x', first && { headers: first })
      if (between) await ask(`${between.method} /v1/x`)
      const before = runs()
      const { headers } = await ask(`GET /v1/x${path}`, second && { headers: second })
      expect(runs() - before).to.equal(isReused ? 0 : 1)
      // §4, §5.1: who reuses tells the age
      if (isReused) expect(headers.age).to.match(/^\d+$/)
    })
  }
})
