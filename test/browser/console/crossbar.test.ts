/** The console in a browser, of two gateways on Crossbar.io: what happens at either, and who has joined a realm. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { send } from '#test/support/http-request.ts'
import { startCrossbar } from '#test/support/peers/crossbar.ts'
import { until } from '#test/support/running/until.ts'
import { type ConsoleTest, fixed, openConsole, specOf } from './fixture.ts'

describe('the console of gateways on Crossbar.io', () => {
  let test: ConsoleTest
  let page: Page

  before(async () => {
    test = await openConsole({}, startCrossbar)
  })
  after(() => test?.close())
  afterEach(async () => {
    await page?.close()
    expect(test.troubles.splice(0)).to.deep.equal([])
  })

  it('shows a load on the other node as it is told of it, and the numbers of both', async () => {
    page = await test.open('apis')
    await page.locator('tbody tr').first().waitFor()
    const fresh = specOf('com.example.fresh', '/fresh', { '/a': { get: fixed('x') } })
    await test.load(test.second, fresh)
    await page.getByRole('link', { name: 'com.example.fresh' }).waitFor()
    await page.getByRole('link', { name: 'Nodes' }).click()
    for (const node of ['node-a', 'node-b'])
      await page.locator('tr', { hasText: node }).getByText('ready', { exact: true }).waitFor()
  })

  it('shows requests of both nodes', async () => {
    page = await test.open('requests')
    for (const node of ['node-a', 'node-b']) {
      await until(`a request of ${node} is told`, async () => {
        await test.traffic(1)
        return (await page.locator('tr', { hasText: node }).count()) > 0
      })
    }
  })

  it('shows the sessions that the router tells of a realm, and edits its document', async () => {
    page = await test.open('realms')
    await page.getByRole('link', { name: 'com.example.test' }).click()
    await page.getByRole('link', { name: 'Sessions' }).click()
    await page.locator('tbody tr', { hasText: 'anonymous' }).first().waitFor()
    await page.getByRole('link', { name: /^Users/ }).click()
    await page.getByRole('link', { name: 'New user' }).click()
    await page.locator('textarea').waitFor()
    await page.getByRole('button', { name: 'Load', exact: true }).click()
    await page.getByText('ada is loaded.').waitFor()
    await until('the other node has the user', async () => {
      const { text } = await send(test.second.adminUrl, '/realms/com.example.test')
      return text.includes('"username":"ada"')
    })
  })
})
