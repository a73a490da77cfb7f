/** A document with twelve planted mistakes of twelve kinds: the refusal lists exactly their pointers, and nothing changes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadFaces, staticDocument } from '#test/integration/management/faces.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const planted = JSON.parse(
  readFileSync(join(import.meta.dirname, '../cases/twelve-mistakes.json'), 'utf8'),
) as { mistakes: Readonly<Record<string, string>>; document: { id: string } }
const pointers = Object.values(planted.mistakes)

describe('a document with twelve mistakes', () => {
  let gateway: TestGateway
  const good = { ...staticDocument('twelve', 'good'), id: planted.document.id }

  before(async () => {
    gateway = await startGateway()
    await gateway.mustLoad(good)
  })
  after(() => gateway.stop())

  const all = async () => (await send(gateway.adminUrl, '/api_specs')).text

  it('has them', () => {
    expect(new Set(pointers).size).to.equal(12)
  })

  for (const [face, load] of Object.entries(loadFaces)) {
    it(`is refused with exactly these pointers, and changes nothing: ${face}`, async () => {
      const before = await all()
      const loading = await load(gateway, planted.document)
      if (loading.isLoaded) throw new Error('it was loaded')
      expect(loading.error).to.equal('wamp.error.invalid_argument')
      expect(loading.refusal.details?.map(({ path }) => path)).to.have.members(pointers)
      expect(await all()).to.equal(before)
      expect((await send(gateway.url, '/twelve/body')).json()).to.equal('good')
      expect((await send(gateway.url, '/v1/items/1')).status).to.equal(404)
    })
  }

  it('is refused by validation in the same way', async () => {
    const answer = await send(gateway.adminUrl, '/services/validate_api_spec', {
      method: 'POST',
      body: planted.document,
    })
    expect(answer.status).to.equal(400)
    const { details } = answer.json() as { details: { path: string }[] }
    expect(details.map(({ path }) => path)).to.have.members(pointers)
  })
})
