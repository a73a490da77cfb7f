/** A login that two gateways on one PostgreSQL know: the row is both's. */
import { testTwoGateways } from '#test/integration/oidc/two-gateways.suite.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'

let postgres: Postgres

describe('on PostgreSQL', () => {
  before(async () => {
    postgres = await startPostgres()
  })
  after(() => postgres?.remove())

  testTwoGateways('one PostgreSQL', async () => ({ 'store.url': await postgres.database() }))
})
