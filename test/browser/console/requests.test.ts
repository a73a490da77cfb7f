/** The console in a browser: requests are watched and explained, sent for real, and users get keys. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type ConsoleTest, fixed, goTo, openConsole, specOf } from './fixture.ts'

const realm = {
  uri: 'com.example.shop',
  authmethods: ['anonymous', 'oauth2'],
  groups: [{ name: '<b>staff</b>' }],
  users: [{ username: 'ada', password: 'not-to-be-shown', groups: ['<b>staff</b>'] }],
  grants: [
    { permissions: ['wamp.call'], roles: ['<b>staff</b>'], uri: 'com.example.', match: 'prefix' },
  ],
}

describe('requests and users in the console', () => {
  let test: ConsoleTest
  let page: Page

  before(async () => {
    test = await openConsole()
    await send(test.first.adminUrl, '/realms', { method: 'POST', body: realm })
    const closed = specOf('com.example.closed', '/closed', { '/a': { get: fixed('x') } })
    const version = { ...closed.versions['1.0'], cors: { origins: [] } }
    await test.load(test.first, { ...closed, versions: { '1.0': version } })
  })
  after(() => test?.close())
  afterEach(async () => {
    await page?.close()
    expect(test.troubles.splice(0)).to.deep.equal([])
  })

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const rows = () => page.locator('tbody tr')

  it('of all nodes are shown as they come, filtered, paused, and explained', async () => {
    page = await test.open('requests')
    await page.getByText('No request since').waitFor()
    await until('both nodes tell of requests', async () => {
      for (const { url } of [test.first, test.second]) await send(url, '/orders/7')
      const texts = (await rows().allInnerTexts()).join()
      return texts.includes('node-a') && texts.includes('node-b')
    })
    await test.traffic(1)
    for (const node of ['node-a', 'node-b'])
      await page.locator('tr', { hasText: node }).first().waitFor()
    await page.getByLabel('Route or API').fill('crm')
    await page.locator('tr', { hasText: 'wamp.error.no_such_procedure' }).first().waitFor()
    await until('only its rows are left', async () => (await rows().count()) === 2)
    await press('Pause')
    await test.traffic(1)
    await page.getByText('Paused').waitFor()
    expect(await rows().allInnerTexts()).to.have.length(2)
    await page.getByRole('link', { name: 'Explain like this' }).first().click()
    expect(await page.getByLabel('Path').inputValue()).to.equal('/crm/customers/:id')
    await page.getByLabel('Path').fill('/crm/customers/5')
    await press('Explain')
    await page.getByText('com.example.customer.get').first().waitFor()
    await page.getByText('request.bindings.id').first().waitFor()
  })

  it('are explained as a user would send them, with a sample of the action', async () => {
    page = await test.open('try')
    await page.getByLabel('Path').fill('/crm/customers/5')
    await page.getByLabel('The outcome of the action').selectOption('an error')
    await page.getByLabel('As the user').fill('anonymous')
    await press('Explain')
    await page.locator('.status.bad').first().waitFor()
    await page.getByLabel('Path').fill('/nowhere')
    await press('Explain')
    await page.getByText('No route matches this request.').waitFor()
    await page.getByLabel('Body').fill('{no json')
    await press('Explain')
    await page.getByText('Body: expected JSON').waitFor()
  })

  it('are traced by a token, and what has happened is shown', async () => {
    page = await test.open('requests')
    const row = page.locator('tr', { hasText: '/orders/:id' }).first()
    await until('a request is told', async () => {
      await send(test.first.url, '/orders/7')
      return (await row.count()) > 0
    })
    await press('Pause')
    await row.getByRole('button', { name: 'Trace' }).click()
    const dialog = page.getByRole('dialog')
    const [, token = ''] = (await dialog.locator('pre').innerText()).split(': ')
    expect(await test.dialogFindings(page, 'token')).to.deep.equal([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await until('a request is traced by the other node', async () => {
      const headers = { 'x-gateway-trace': token }
      const answer = await send(test.second.url, '/orders/7', { headers })
      return answer.headers['x-gateway-trace-id'] !== undefined
    })
    await page.getByRole('button', { name: 'Show' }).first().click()
    await dialog.getByRole('heading', { name: 'Trace' }).waitFor()
    await dialog.getByText('Rules that hold').waitFor()
    expect(await test.dialogFindings(page, 'trace')).to.deep.equal([])
  })

  it('are really sent, and it is said why where the browser gets no answer', async () => {
    page = await test.open('try')
    await page.getByLabel('Path').fill('/orders/7')
    await press('Send')
    await page.locator('.status.good').waitFor()
    await page.getByText('{"id":"7"}').waitFor()
    await page.getByLabel('Path').fill('/closed/a')
    await press('Send')
    await page.getByText('does not allow pages of').waitFor()
    // what the browser itself says of it
    test.troubles.splice(0)
  })

  it('come from users of realms, who get keys and lose them; secrets are not shown', async () => {
    page = await test.open('realms')
    await page.getByRole('link', { name: 'com.example.shop' }).click()
    await page.getByText('<b>staff</b>').first().waitFor()
    expect(await page.content()).to.not.include('not-to-be-shown')
    await press('Issue API key')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Issue' }).click()
    await dialog.getByText('Copy it now').waitFor()
    const key = await dialog.locator('pre').innerText()
    const id = await dialog.locator('code').innerText()
    expect(key.length).to.be.greaterThan(20)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.locator('tr', { hasText: id }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('The API key is revoked.').waitFor()
    await page.locator('tr', { hasText: id }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /^Users/ }).click()
    await press('Revoke all')
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
    await page.getByText('Everything issued to ada is revoked.').waitFor()
    await press('Rotate keys')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click()
    await page.getByText('The realm signs by a new key.').waitFor()
    for (const [tab, text] of [
      ['Groups', '<b>staff</b>'],
      ['Grants', 'wamp.call'],
    ] as const) {
      await page.getByRole('link', { name: new RegExp(`^${tab}`) }).click()
      await page.locator('.tabs [aria-current]', { hasText: tab }).waitFor()
      await page.getByText(text).first().waitFor()
    }
    await goTo(page, 'realms/com.example.test/sessions')
    await rows().first().waitFor()
  })
})
