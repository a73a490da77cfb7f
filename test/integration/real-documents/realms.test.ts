/** The real security configuration loads as realms, and its secrets are never shown. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

describe('the real security configuration', () => {
  let gateway: TestGateway
  const file = join(import.meta.dirname, '../../cases/specs/security_config.json')
  const documents = JSON.parse(readFileSync(file, 'utf8')) as { uri: string }[]
  const secrets = ['changethispassword', '123456']

  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  it('loads as realms', async () => {
    const answer = await send(gateway.adminUrl, '/services/load_realm', {
      method: 'POST',
      body: documents,
    })
    expect(answer.status).to.equal(200)
    const loaded = answer.json() as { uri: string }[]
    expect(loaded.map(({ uri }) => uri)).to.deep.equal(documents.map(({ uri }) => uri))
  })

  it('is listed, and read back, without its secrets', async () => {
    const list = await send(gateway.adminUrl, '/realms')
    const uris = (list.json() as { uri: string }[]).map(({ uri }) => uri)
    expect(uris).to.include.members(documents.map(({ uri }) => uri))
    for (const { uri } of documents) {
      const answer = await send(gateway.adminUrl, `/realms/${uri}`)
      expect(answer.status).to.equal(200)
      expect(answer.json()).to.include({ uri })
      for (const secret of secrets) expect(answer.text).to.not.include(secret)
    }
  })
})
