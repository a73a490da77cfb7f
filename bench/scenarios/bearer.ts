/** Requests with a bearer token. */
import type { Scenario } from '#bench/stage.ts'

/** Nothing to measure until the gateway accepts a token. */
export const bearer: Scenario = {
  about: 'a fixed answer for requests with a bearer token',
  build: async (stage) => {
    const why = 'not available: no security scheme of this version accepts a token'
    stage.missing.push({ name: 'ours, bearer token', why })
  },
}
