/** The pages that users of APIs meet, in a browser: readable on a wide and a narrow screen; each link of the page of identity providers logs in at its provider. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { findingsIn } from './axe.ts'
import { type RunningExample, runExample } from './example.ts'

/** A folder for screenshots, which people look at; absent: none are taken. */
const { SCREENSHOTS: folder } = process.env

/** What the pages say of the realm. */
const texts = {
  title: 'Example Notes of the Example Company and of All of Its Partners',
  text: 'Customers use the account of their company. Partners use the one that they were given.',
  support: 'Help: support-of-partners-and-friends@notes.example.com, +1 555 0100',
}

describe('the page in a browser', () => {
  let example: RunningExample

  before(async () => {
    example = await runExample()
    await example.declare(
      { title: 'Example Company' },
      { token: { title: 'Partners and Friends of the Example Company' } },
      { login_page: texts },
    )
  })
  after(() => example?.stop())

  const open = async (width: number, locale: string): Promise<Page> => {
    const context = await example.browser.newContext({ viewport: { width, height: 640 }, locale })
    const page = await context.newPage()
    return page
  }

  for (const [width, locale, title] of [
    [1280, 'en-GB', 'Log in'],
    [360, 'de-DE', 'Anmelden'],
  ] as const) {
    it(`fits a screen of ${width} pixels, in the language of ${locale}`, async () => {
      const page = await open(width, locale)
      const problems: string[] = []
      page.on('console', (message) => problems.push(message.text()))
      await page.goto(`${example.origin}/oidc/login?redirect_uri=/app`)
      expect(await page.title()).to.equal(`${title} · ${texts.title}`)
      for (const text of Object.values(texts)) {
        await page.getByText(text, { exact: true }).waitFor()
      }
      const links = await page.getByRole('link').all()
      expect(links).to.have.length(2)
      for (const link of links) {
        const { x = -1, width: wide = 0, height = 0 } = (await link.boundingBox()) ?? {}
        expect(x).to.be.at.least(0)
        expect(x + wide).to.be.at.most(width)
        expect(height, 'to be touched').to.be.at.least(44)
      }
      expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width)
      if (folder) await page.screenshot({ path: `${folder}/login-page-${width}.png` })
      expect(problems.filter((text) => text.includes('Content Security Policy'))).to.deep.equal([])
      await page.context().close()
    })
  }

  for (const [what, path, heading] of [
    ['of identity providers', '/oidc/login?redirect_uri=/app', 'Log in'],
    ['of a failed login', '/oidc/login?provider=nobody', 'Login'],
    ['of a login of another browser', '/oidc/main/callback?state=other&code=other', 'Login'],
    ['of an address at which nothing is served', '/nothing/here', 'Page not found'],
  ] as const) {
    it(`${what} is readable for all, light and dark, on a narrow and a wide screen`, async () => {
      for (const width of [1440, 390]) {
        const page = await open(width, 'en-GB')
        await page.goto(`${example.origin}${path}`)
        expect(await page.getByRole('heading').textContent()).to.equal(heading)
        await page.getByText(texts.title, { exact: true }).waitFor()
        await page.getByText(texts.support).waitFor()
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          expect(await findingsIn(page)).to.deep.equal([])
          expect(await page.evaluate('document.documentElement.scrollWidth')).to.equal(width)
          const name = `${what}-${colorScheme}-${width}.png`.replaceAll(' ', '-')
          if (folder) await page.screenshot({ path: `${folder}/${name}` })
        }
        await page.context().close()
      }
    })
  }

  it('logs in at the provider that is chosen, and leads back', async () => {
    const page = await open(1280, 'en-GB')
    await page.goto(`${example.origin}/oidc/login?redirect_uri=/app`)
    await page.getByText('Example Company', { exact: true }).click()
    await page.getByLabel('Name').fill('ada')
    await page.getByText('Log in').click()
    await page.locator('#user').waitFor()
    expect(page.url()).to.equal(`${example.origin}/app`)
    expect(await page.locator('#authid').textContent()).to.equal('ada')
    await page.context().close()
  })
})
