/** An address at which nothing is served: a page for persons, the error for all other clients, on both listeners. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const ofBrowser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const page = 'text/html; charset=utf-8'
const json = 'application/json'

const rows = [
  ['a browser', 'GET', ofBrowser, page],
  ['a client that names no type', 'GET', undefined, json],
  ['a client that accepts everything', 'GET', '*/*', json],
  ['a client that accepts any text', 'GET', 'text/*', json],
  ['a client that prefers JSON', 'GET', 'application/json, text/html;q=0.9', json],
  ['a client that accepts both alike', 'GET', 'text/html, application/json', json],
  ['a client that refuses HTML', 'GET', 'text/html;q=0, */*', json],
  ['a form of a browser', 'POST', ofBrowser, json],
] as const

describe('an address at which nothing is served', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  for (const [who, method, accept, type] of rows) {
    it(`is ${type} for ${who}`, async () => {
      for (const url of [gateway.url, gateway.adminUrl]) {
        const headers = accept === undefined ? {} : { accept }
        const { status, headers: found, text } = await send(url, '/none', { method, headers })
        expect([status, found['content-type'], found.vary]).to.deep.equal([404, type, 'Accept'])
        expect(found['cache-control']).to.equal('no-store')
        expect(text).to.include('service.error.not_found').and.not.include('<script')
      }
    })
  }
})
