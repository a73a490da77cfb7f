/** The OIDC example in a browser: what its page is for, the cookies as the browser keeps them, and redirects that lead nowhere else. */
import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { openRedirects } from '#test/unit/http/oidc/open-redirects.ts'
import { type RunningExample, runExample } from './example.ts'

const realm = 'com.example.notes'
const ticketName = `service_ticket_${realm}`
const month = 2_592_000

describe('the example with OIDC in a browser', () => {
  let example: RunningExample
  let context: BrowserContext
  let page: Page

  const logIn = async (name: string) => {
    await page.goto(`${example.origin}/app`)
    await page.getByText('Log in').click()
    await page.getByLabel('Name').fill(name)
    await page.getByText('Log in').click()
    await page.locator('#user').waitFor()
  }
  const ownCookies = async () =>
    (await context.cookies(example.origin)).sort((a, b) => b.name.localeCompare(a.name))
  const statusOf = (path: string) =>
    page.evaluate(async (at) => (await fetch(at)).status, `${example.origin}${path}`)
  /** The type of the router's answer to HELLO, and the authid or the reason that it says. */
  const helloOf = () =>
    page.evaluate(
      ([url = '', uri]) =>
        new Promise<unknown[]>((resolve, reject) => {
          const socket = new WebSocket(url, 'wamp.2.json')
          const details = { roles: { caller: {} }, authmethods: ['cookie'] }
          socket.onopen = () => socket.send(JSON.stringify([1, uri, details]))
          socket.onmessage = ({ data }) => {
            const [kind, , told] = JSON.parse(String(data))
            resolve([kind, told.authid ?? told])
            socket.close()
          }
          socket.onclose = reject
        }),
      [`${example.origin.replace('http', 'ws')}/ws`, realm],
    )

  before(async () => {
    example = await runExample()
  })
  after(() => example?.stop())
  beforeEach(async () => {
    context = await example.browser.newContext()
    page = await context.newPage()
  })
  afterEach(() => context.close())

  it('lets a user log in, call the API, open a session, publish, and log out', async () => {
    await page.goto(`${example.origin}/app`)
    await page.getByText('Log in').waitFor()
    expect(await statusOf('/api/me')).to.equal(401)

    await logIn('ada')
    expect(page.url()).to.equal(`${example.origin}/app`)
    expect(await page.locator('#authid').textContent()).to.equal('ada')
    expect(await page.locator('#roles').textContent()).to.equal('writers')
    expect(await statusOf('/api/me')).to.equal(200)

    await page.getByText('Open one').click()
    const session = page.locator('#session')
    await session.getByText('ada (writers), listening').waitFor()
    await page.getByLabel('Note').fill('tea at five')
    await page.getByText('Publish').click()
    await page.locator('#notes').getByText('ada: tea at five').waitFor()
    await page.locator('#status').getByText('202').waitFor()

    const old = await ownCookies()
    expect(await helloOf()).to.deep.equal([2, 'ada'])
    await page.getByText('Log out').click()
    await page.getByText('Yes, log me out').click()
    await page.getByText('Log in').waitFor()
    expect(page.url()).to.equal(`${example.origin}/app`)
    expect(await ownCookies()).to.deep.equal([])
    expect(await statusOf('/api/me')).to.equal(401)

    await context.addCookies(old)
    expect((await ownCookies()).map(({ name }) => name)).to.include(ticketName)
    expect(await statusOf('/api/me')).to.equal(401)
    expect((await helloOf())[0], 'ABORT').to.equal(3)
  })

  it('ends the sessions of a page when the user logs out in another one', async () => {
    await logIn('ada')
    await page.getByText('Open one').click()
    await page.locator('#session').getByText('listening').waitFor()
    const other = await context.newPage()
    await other.goto(`${example.origin}/oidc/logout?redirect_uri=/app`)
    await page.locator('#session').getByText('none').waitFor()
  })

  it('keeps the ticket and the finished login from scripts, and says of its cookies where they are good for', async () => {
    await logIn('bea')
    const now = Date.now() / 1000
    const [ticket, csrf, finished, ...more] = await ownCookies()
    expect(more).to.deep.equal([])
    expect(finished).to.include({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })
    expect(finished?.name).to.equal(`__Host-service_finished_${realm}`)
    expect(finished?.expires).to.be.within(now, now + 15 * 60)
    for (const cookie of [ticket, csrf]) {
      expect(cookie).to.include({ domain: 'localhost', path: '/', secure: true, sameSite: 'Lax' })
      expect(cookie?.expires).to.be.within(now + month - 60, now + month)
    }
    expect(ticket).to.include({ name: ticketName, httpOnly: true })
    expect(csrf).to.include({ name: `service_csrf_${realm}`, httpOnly: false })
    const seen = String(await page.evaluate('document.cookie'))
    expect(seen).to.equal(`${csrf?.name}=${csrf?.value}`)
  })

  it('remembers a login under way in a cookie of this host alone', async () => {
    await page.goto(`${example.origin}/app`)
    await page.getByText('Log in').click()
    await page.getByLabel('Name').waitFor()
    const now = Date.now() / 1000
    const [login, ...more] = await ownCookies()
    expect(more).to.deep.equal([])
    expect(login?.name).to.match(/^__Host-service_login_[0-9a-f]{16}$/)
    const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'Lax' }
    expect(login).to.include({ domain: 'localhost', ...attributes })
    expect(login?.expires).to.be.within(now, now + 900)
  })

  it('changes nothing without the value of the CSRF cookie', async () => {
    await logIn('cyd')
    await context.clearCookies({ name: `service_csrf_${realm}` })
    await page.getByLabel('Note').fill('x')
    await page.getByText('Publish').click()
    await page.locator('#status').getByText('403').waitFor()
  })

  it('sends a browser that opens a protected address to log in, and back there', async () => {
    await page.goto(`${example.origin}/api/me`)
    await page.getByLabel('Name').fill('dan')
    await page.getByText('Log in').click()
    await page.getByText('"dan"').waitFor()
    expect(page.url()).to.equal(`${example.origin}/api/me`)
  })

  for (const [name, strings] of Object.entries(openRedirects)) {
    it(`is led nowhere else by a redirect_uri: ${name}`, async () => {
      await logIn('eve')
      const stranger = await example.browser.newContext()
      const guest = await stranger.newPage()
      const arrived: (readonly [text: string, origin: string])[] = []
      const visit = async (by: Page, path: string, text: string) => {
        await by.goto(`${example.origin}${path}`)
        arrived.push([text, new URL(by.url()).origin])
      }
      for (const [index, text] of strings.entries()) {
        const shown = JSON.stringify(text)
        const query = `?redirect_uri=${encodeURIComponent(text)}`
        const { status } = await example.get(`/oidc/login${query}`)
        expect(status, shown).to.be.oneOf([302, 400])
        const isOpened = index % 10 === 0
        // the provider knows eve: the browser comes back by itself, and goes where it was told
        if (status === 302 || isOpened) await visit(page, `/oidc/login${query}`, text)
        const left = await example.get(`/oidc/logout${query}`)
        expect(left.status, shown).to.equal(text.includes('\0') ? 400 : 302)
        if (isOpened) await visit(guest, `/oidc/logout${query}`, text)
        if (left.location === undefined) continue
        const goesTo = await page.evaluate(
          ([at = '', from]) => new URL(at, from).origin,
          [left.location, `${example.origin}/oidc/logout`],
        )
        arrived.push([text, goesTo])
      }
      await stranger.close()
      expect(arrived.length).to.be.above(strings.length)
      expect(arrived.filter(([, origin]) => origin !== example.origin)).to.deep.equal([])
    })
  }
})
