/** What people see in a browser when a login is of no use, is refused, or is one of many: a page with a way on, and never a loop. */
import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { until } from '#test/support/running/until.ts'
import { type RunningExample, runExample } from './example.ts'

const realm = 'com.example.notes'
const ticketName = `service_ticket_${realm}`

describe('a login in a browser that does not go well', () => {
  let example: RunningExample
  let context: BrowserContext
  let page: Page

  const submit = async (on: Page, name: string) => {
    await on.getByLabel('Name').fill(name)
    await on.getByRole('button', { name: 'Log in' }).click()
  }
  const open = (path: string) => page.goto(`${example.origin}${path}`)
  const path = () => page.url().slice(example.origin.length)
  const reason = () => page.locator('code').textContent()

  before(async () => {
    example = await runExample()
  })
  after(() => example?.stop())
  beforeEach(async () => {
    await example.declare({})
    context = await example.browser.newContext()
    page = await context.newPage()
  })
  afterEach(() => context.close())

  it('goes on by a click where cookies are strict', async () => {
    await example.declare({ cookie_same_site: 'strict' })
    await open('/api/me?a=1')
    await submit(page, 'dan')
    await page.getByText('did not send the ticket').waitFor()
    expect([path(), await reason()]).to.deep.equal(['/api/me?a=1', 'ticket_not_sent'])
    await page.getByRole('link', { name: 'Continue' }).click()
    await page.getByText('"dan"').waitFor()
    expect(path()).to.equal('/api/me?a=1')
  })

  it('says that there are two tickets, and logs in anew once there is one', async () => {
    await open('/api/me')
    await submit(page, 'dan')
    await page.getByText('"dan"').waitFor()
    const tossed = { name: ticketName, value: 'x', domain: 'localhost', path: '/api' }
    await context.addCookies([{ ...tossed, secure: true }])
    await open('/api/me')
    expect([path(), await reason()]).to.deep.equal(['/api/me', 'two_tickets'])
    await page.getByRole('link', { name: 'Log in again' }).click()
    await page.getByText('two different tickets').waitFor()
    await context.clearCookies({ name: ticketName, path: '/api' })
    await page.getByRole('link', { name: 'Log in again' }).click()
    await page.getByText('"dan"').waitFor()
  })

  it('says that the provider has refused, and begins anew', async () => {
    await open('/api/me?b=2')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('You, or the identity provider, have refused the login').waitFor()
    expect(await reason()).to.equal('provider_error: access_denied')
    await page.getByRole('link', { name: 'Log in again' }).click()
    await submit(page, 'dan')
    await page.getByText('"dan"').waitFor()
    expect(path()).to.equal('/api/me?b=2')
  })

  it('comes back to an address of 4,000 characters, and to an absolute one of this origin', async () => {
    const long = `/api/me?q=${'x'.repeat(4_000)}`
    await open(long)
    await submit(page, 'dan')
    await page.getByText('"dan"').waitFor()
    expect(path()).to.equal(long)
    await open(`/oidc/login?redirect_uri=${encodeURIComponent(`${example.origin}/app?c=3`)}`)
    await page.locator('#user').waitFor()
    expect(path()).to.equal('/app?c=3')
  })

  it('is known by the callback of no such provider', async () => {
    const answer = await open('/oidc/nope/callback?code=c&state=s')
    expect([answer?.status(), await reason()]).to.deep.equal([404, 'unknown_provider'])
  })

  it('ends the session at the provider with a ticket that has expired', async () => {
    await example.declare({ ticket_expiry_secs: 3 })
    await open('/oidc/login?redirect_uri=/app')
    await submit(page, 'dan')
    await page.waitForURL('**/app')
    const cookies = await context.cookies(example.origin)
    const ticket = cookies.find(({ name }) => name === ticketName)
    if (ticket === undefined) throw new Error('there is no cookie')
    // a browser whose clock is behind
    await context.addCookies([{ ...ticket, expires: ticket.expires + 3_600 }])
    const status = () => page.evaluate(async () => (await fetch('/api/me')).status)
    expect(await status()).to.equal(200)
    await until('the ticket has expired', async () => (await status()) === 401)
    await open('/oidc/logout?redirect_uri=/app')
    await page.getByText('Yes, log me out').click()
    await page.getByText('Log in').waitFor()
    expect(path()).to.equal('/app')
  })

  it('is one of seven: the newest five work, and the others begin anew', async () => {
    const tabs: Page[] = []
    for (let index = 0; index < 7; index++) {
      const tab = await context.newPage()
      await tab.goto(`${example.origin}/api/me?tab=${index}`)
      await tab.getByLabel('Name').waitFor()
      tabs.push(tab)
    }
    for (const [index, tab] of tabs.entries()) {
      await submit(tab, 'dan')
      await tab.getByText('"dan"').waitFor()
      expect(tab.url()).to.equal(`${example.origin}/api/me?tab=${index}`)
    }
  })

  it('is at a provider called token', async () => {
    await example.declare({}, { token: {} })
    await open('/oidc/login?provider=token&redirect_uri=/app')
    await submit(page, 'dan')
    await page.waitForURL(`${example.origin}/app`)
    const cookies = await context.cookies(example.origin)
    const ticket = cookies.find(({ name }) => name === ticketName)?.value ?? ''
    const payload = Buffer.from(ticket.split('.')[1] ?? '', 'base64url').toString()
    expect(JSON.parse(payload)).to.include({ authid: 'dan', oidc_provider: 'token' })

    // the API is of another provider, whose ticket takes the place of this one
    await open('/api/me')
    await page.getByText('"dan"').waitFor()
  })

  it('works within half a minute after the provider has changed its key', async () => {
    await open('/oidc/login?redirect_uri=/app')
    await submit(page, 'dan')
    await page.locator('#user').waitFor()
    await example.restartProvider()
    const attempt = async () => {
      const other = await example.browser.newContext()
      const guest = await other.newPage()
      await guest.goto(`${example.origin}/oidc/login?redirect_uri=/app`)
      await submit(guest, 'eve')
      await guest.waitForURL(`${example.origin}/**`)
      const isIn = guest.url() === `${example.origin}/app`
      await other.close()
      return isIn
    }
    const before = Date.now()
    while (!(await attempt())) expect(Date.now() - before).to.be.below(30_000)
  })
})
