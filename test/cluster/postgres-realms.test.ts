/** Realms in PostgreSQL: edited while users are at work, and by two gateways at the same time. Needs Debian's package. */
import { expect } from 'chai'
import { describeEditedExample } from '#test/integration/management/edited-example.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { untilHolds } from '#test/support/running/until.ts'

describe('realms in PostgreSQL', () => {
  let server: Postgres
  before(async () => {
    server = await startPostgres()
  })
  after(() => server?.remove())

  describeEditedExample('PostgreSQL', () => server.database())

  describe('shared by two gateways', () => {
    const gateways: TestGateway[] = []
    afterEach(() => Promise.all(gateways.splice(0).map((gateway) => gateway.stop())))

    it('take the edits that both make at the same time', async () => {
      const settings = { 'store.url': await server.database(), 'store.key': 'k'.repeat(43) }
      for (let count = 0; count < 2; count++) {
        gateways.push(await startGateway(settings, { isEmbedded: true }))
      }
      const [one, two] = gateways.map(({ adminUrl }) => adminUrl) as [string, string]
      const uri = 'com.example.shared'
      const loaded = await send(one, '/realms', { method: 'POST', body: { uri, authmethods: [] } })
      expect(loaded.status).to.equal(201)
      const isThere = async () => (await send(two, `/realms/${uri}`)).status === 200
      await untilHolds(isThere)
      const names = Array.from({ length: 40 }, (_, index) => `user-${index}`)
      const answers = await Promise.all(
        names.map((name, index) =>
          send(index % 2 === 0 ? one : two, `/realms/${uri}/users/${name}`, {
            ...{ method: 'PUT', body: { groups: ['staff'] } },
          }),
        ),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal(names.map(() => 201))
      // the last edit has seen all others
      const users = await Promise.all(
        [one, two].map(async (admin) => {
          const shown = (await send(admin, `/realms/${uri}`)).json()
          return (shown as { readonly users: object[] }).users.length
        }),
      )
      expect(Math.max(...users)).to.equal(names.length)
    })
  })
})
