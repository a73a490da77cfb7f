/** The console in a browser: users and grants are edited, by two people at once. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { send } from '#test/support/http-request.ts'
import { type ConsoleTest, goTo, openConsole } from './fixture.ts'

const uri = 'com.example.shop'
const realm = {
  uri,
  authmethods: ['anonymous', 'password', 'oauth2'],
  groups: [{ name: 'staff' }, { name: 'backend' }],
  users: [{ username: 'ada', password: 'correct horse battery', groups: ['staff'] }],
  info: {
    upstreams: {
      billing: {
        targets: [{ url: 'http://127.0.0.1:9', weight: 3 }, { url: 'http://127.0.0.2:9' }],
        auth: {
          ...{ type: 'client_credentials', token_url: 'http://127.0.0.1:9/token' },
          ...{ client_id: 'gw', client_secret: 'sssh-0123456789' },
        },
      },
    },
  },
  grants: [{ permissions: ['wamp.call'], roles: ['staff'], uri: 'com.example.', match: 'prefix' }],
}

type Shown = typeof realm & { users: { password?: unknown; enabled?: boolean }[] }

describe('realms in the console', () => {
  let test: ConsoleTest
  let page: Page

  before(async () => {
    test = await openConsole()
  })
  after(() => test?.close())
  beforeEach(() => send(test.first.adminUrl, '/realms', { method: 'POST', body: realm }))
  afterEach(async () => {
    await page?.close()
    expect(test.troubles.splice(0)).to.deep.equal([])
  })

  const stored = async () => (await send(test.first.adminUrl, `/realms/${uri}`)).json() as Shown
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const edit = async (change: (text: string) => string) => {
    const editor = page.locator('textarea')
    await editor.waitFor()
    await editor.fill(change(await editor.inputValue()))
  }

  it('have users that are edited: what is taken out is gone, and secrets stay', async () => {
    page = await test.open(`realms/${uri}`)
    await page.locator('tr', { hasText: 'ada' }).getByRole('link', { name: 'Edit' }).click()
    await edit(() => '{ "username": "ada", "enabled": tru }')
    await press('Load')
    await page.getByText('Refused').waitFor()
    await edit(() => '{ "username": "ada", "enabled": false }')
    await press('Load')
    await page.getByText('ada is loaded.').waitFor()
    await page.getByText('disabled').waitFor()
    const [ada] = (await stored()).users
    expect(ada).to.include({ username: 'ada', enabled: false })
    expect(ada?.groups).to.equal(undefined)
  })

  it('that somebody else has changed meanwhile are shown beside mine', async () => {
    page = await test.open(`realms/${uri}/users/=ada`)
    await edit((text) => text.replace('"staff"', '"backend"'))
    const path = `/realms/${uri}/users/ada`
    await send(test.second.adminUrl, path, { method: 'PUT', body: { description: 'theirs' } })
    await page.getByText('Another version was loaded while you were editing.').waitFor()
    await press('Load')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Somebody has loaded another version').waitFor()
    const [theirs, mine] = [dialog.locator('td.gone'), dialog.locator('td.new')]
    expect((await theirs.allInnerTexts()).join()).to.include('theirs')
    expect((await mine.allInnerTexts()).join()).to.include('backend')
    await dialog.getByRole('button', { name: 'Go on with mine, in place of theirs' }).click()
    await press('Load')
    await page.getByText('ada is loaded.').waitFor()
    expect((await stored()).users[0]?.groups).to.deep.equal(['backend'])
  })

  it('tell when a login was issued and seen, which the gateway counts in seconds', async () => {
    page = await test.open('overview')
    const since = 1_790_000_000
    await page.route('**/tickets', (route) =>
      route.fulfill({
        json: {
          sessions: [
            {
              id: 't',
              authid: 'ada',
              provider: 'main',
              address: '::1',
              node: 'one',
              issued_at: since,
              seen_at: since + 60,
            },
          ],
        },
      }),
    )
    await goTo(page, `realms/${uri}/logins`)
    const cells = page.locator('tbody tr').locator('td')
    await cells.first().waitFor()
    const [, , issued, seen] = await cells.allInnerTexts()
    const day = await page.evaluate((ms) => new Date(ms).toLocaleDateString('en-CA'), since * 1000)
    expect([issued?.slice(0, 10), seen?.slice(0, 10)]).to.deep.equal([day, day])
  })

  it('and no Grafana dashboard, of which the configuration names none', async () => {
    page = await test.open('overview')
    await page.locator('.tiles').waitFor()
    expect(await page.getByText('Grafana').count()).to.equal(0)
  })

  it('are left for no screen that the console does not have: it says so', async () => {
    page = await test.open('relams')
    await page.getByRole('alert').getByText('The console has no screen relams.').waitFor()
  })

  it('get users, unless they have them, and lose them', async () => {
    page = await test.open(`realms/${uri}`)
    await page.getByRole('link', { name: 'New user' }).click()
    await press('Load')
    await page.getByText('The realm has it already.').waitFor()
    await edit((text) => text.replace('"ada"', '"grace"'))
    await press('Load')
    await page.getByText('grace is loaded.').waitFor()
    const row = page.locator('tr', { hasText: 'grace' })
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('grace is deleted.').waitFor()
    await row.waitFor({ state: 'detached' })
  })

  it('have upstreams, whose targets are drained and given back', async () => {
    page = await test.open(`realms/${uri}/upstreams`)
    const row = page.locator('tr', { hasText: 'http://127.0.0.1:9' }).first()
    await row.getByText('up').waitFor()
    expect(await row.locator('td').allInnerTexts()).to.include('3')
    await page.getByText('Credentials: client_credentials').waitFor()
    await page.getByText('There is no token: the first request fetches one.').waitFor()
    expect(await page.content()).to.not.include('sssh')
    await row.getByRole('button', { name: 'Drain' }).click()
    await page.getByText('http://127.0.0.1:9 gets no new requests.').waitFor()
    await row.getByRole('cell', { name: /^draining/ }).waitFor()
    await row.getByRole('button', { name: 'Stop draining' }).click()
    await page.getByText('http://127.0.0.1:9 gets requests again.').waitFor()
    await row.getByText('up').waitFor()
    await goTo(page, 'nodes')
    await page.getByText('1, targets: 2 up').waitFor()
  })

  it('are made, and give their users API keys where the keys are listed', async () => {
    page = await test.open('realms')
    await page.getByRole('link', { name: 'New realm' }).click()
    await edit((text) => text.replaceAll('com.example.shop', 'com.example.made'))
    await press('Load')
    await page.getByText('com.example.made is loaded.').waitFor()
    await page.getByRole('link', { name: /^API keys/ }).click()
    await page.getByLabel('User', { exact: true }).selectOption('ada')
    await page.getByRole('button', { name: 'New API key' }).click()
    const dialog = page.getByRole('dialog')
    const secret = await dialog.locator('pre').innerText()
    expect(secret.length).to.be.above(20)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('tbody tr', { hasText: 'ada' }).waitFor()
    expect(await page.content()).to.not.include(secret)
    await send(test.first.adminUrl, '/realms/com.example.made', { method: 'DELETE' })
  })

  it('give a user an API key, with the name that is asked for', async () => {
    page = await test.open(`realms/${uri}`)
    await page.getByRole('button', { name: 'Issue API key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name of the key').fill('nightly import')
    expect(await test.dialogFindings(page, 'new-key')).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Issue' }).click()
    await dialog.getByText('Copy it now').waitFor()
    expect(await dialog.count()).to.equal(1)
    expect(await test.dialogFindings(page, 'key')).to.deep.equal([])
    await dialog.getByRole('button', { name: 'Close' }).click()
    const keys = await send(test.first.adminUrl, `/realms/${uri}/api_keys`)
    expect(keys.json()).to.have.length(1).with.nested.property('[0].name', 'nightly import')
  })

  it('have users whose password, not loaded yet, is back on another screen and in no storage', async () => {
    page = await test.open(`realms/${uri}/users/new`)
    await edit((text) => text.replace('of at least 12 characters', 'a secret of many words'))
    await page.getByRole('link', { name: 'Nodes' }).click()
    await page.locator('tbody .good').first().waitFor()
    const stored = await page.evaluate(
      'JSON.stringify([{ ...sessionStorage }, { ...localStorage }])',
    )
    expect(stored).to.not.include('a secret of many words')
    await page.goBack()
    await page.getByText('Your changes that were not loaded are back.').waitFor()
    expect(await page.locator('textarea').inputValue()).to.include('a secret of many words')
    await page.getByRole('button', { name: 'Discard them' }).click()
  })

  it('have grants that are edited: one for other URIs takes the place of the one before', async () => {
    page = await test.open(`realms/${uri}/grants`)
    await page.getByRole('link', { name: 'Edit' }).click()
    await edit((text) => text.replace('"com.example."', '"com.example.shop."'))
    await press('Load')
    await page.getByText('The grant is loaded.').waitFor()
    await page.getByText('com.example.shop.', { exact: true }).waitFor()
    expect((await stored()).grants).to.deep.equal([
      { ...realm.grants[0], uri: 'com.example.shop.' },
    ])
    await page.getByRole('link', { name: 'New grant' }).click()
    await edit((text) => text.replace('"wamp.call"', '"wamp.subscribe"'))
    await press('Load')
    const row = page.locator('tr', { hasText: 'wamp.subscribe' })
    await row.waitFor()
    expect((await stored()).grants).to.have.length(2)
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The grant is deleted.').waitFor()
    await row.waitFor({ state: 'detached' })
  })
})
