/** The console in a browser: documents are read, mended, loaded, compared and rolled back, by two people at once. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type ConsoleTest, fixed, goTo, openConsole, orders, specOf } from './fixture.ts'

const place = 'apis/com.example.orders'

/** The document with another path. */
const withPath = (path: string) =>
  specOf(orders.id, '/[v1]', { ...orders.versions['1.0'].paths, [path]: { get: fixed('x') } })

describe('documents in the console', () => {
  let test: ConsoleTest
  let page: Page

  before(async () => {
    test = await openConsole()
  })
  after(() => test?.close())
  beforeEach(async () => {
    await test.load(test.first, orders)
  })
  afterEach(async () => {
    await page?.close()
    expect(test.troubles.splice(0)).to.deep.equal([])
  })

  const editor = (of = page) => of.locator('textarea')
  const holds = (text: string, of = page) =>
    until(`the editor has ${text}`, async () => (await editor(of).inputValue()).includes(text))
  const edit = async (change: (text: string) => string, of = page) => {
    await editor(of).waitFor()
    await holds('{', of)
    await editor(of).fill(change(await editor(of).inputValue()))
  }
  const press = (name: string, of = page) => of.getByRole('button', { name, exact: true }).click()

  it('are listed, filtered, and opened by the keyboard alone', async () => {
    page = await test.open()
    await page.locator('.tiles').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.getByRole('link', { name: 'com.example.orders' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('orders')
    await page.locator('tbody tr').nth(1).waitFor({ state: 'detached' })
    expect(await page.locator('tbody tr').count()).to.equal(1)
    while (!(await page.locator('tbody a:focus').count())) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await editor().waitFor()
    expect(new URL(page.url()).hash).to.equal('#/apis/com.example.orders')
  })

  it('are loaded with a mistake mended: the issue stands at its line', async () => {
    page = await test.open(place)
    await edit((text) => text.replace('"type": "static"', '"type": "statics"'))
    await press('Load')
    await page.getByText('Refused').waitFor()
    const issue = page.locator('.issues button').first()
    const line = Number(/line (\d+)/.exec(await issue.innerText())?.[1])
    const text = await editor().inputValue()
    expect(text.split('\n')[line - 1]).to.include('"statics"')
    expect(await page.locator('.mark.bad').count()).to.be.greaterThan(0)
    await issue.click()
    await page.locator('textarea:focus').waitFor()
    await edit((mistaken) =>
      mistaken.replace('"statics"', '"static"').replace('"/orders/:id"', '"/orders/:id/now"'),
    )
    await press('Validate')
    await page.getByText('Valid', { exact: true }).waitFor()
    await page.locator('textarea').press('Control+Enter')
    await page.getByText('com.example.orders is loaded.').waitFor()
    await page.getByRole('link', { name: /^Routes/ }).click()
    await page.getByText('/[v1]/orders/:id/now').first().waitFor()
  })

  it('tell who has loaded them, and which of their routes were used', async () => {
    page = await test.open(`${place}/routes`)
    const row = page.locator('tr', { hasText: '/[v1]/orders/:id' }).first()
    await row.getByText('never').waitFor()
    await row.getByText('anybody').waitFor()
    await page.getByText('not used since').waitFor()
    await send(test.second.url, '/orders/7')
    await row.getByText(/now|s ago/).waitFor()
    await page.getByRole('link', { name: 'Versions' }).click()
    await page.locator('tr', { hasText: 'current' }).getByText('local', { exact: true }).waitFor()
    await goTo(page, 'overview')
    await page.getByRole('button', { name: 'Unused' }).click()
    await page.locator('tr', { hasText: '/ship/parcels/:id' }).waitFor()
  })

  it('that are no JSON have the mistake at its line', async () => {
    page = await test.open(place)
    await edit((text) => text.replace('"host": "_",', '"host": "_"'))
    await press('Validate')
    await page.getByText('line 5').waitFor()
    expect(await page.locator('.issues').innerText()).to.include('expected "," or "}"')
  })

  it('that somebody else has loaded meanwhile are shown beside mine, and either is taken', async () => {
    page = await test.open(place)
    await edit((text) => text.replace('"orders"', '"my orders"'))
    await test.load(test.second, withPath('/theirs'))
    await page.getByText('Another version was loaded while you were editing.').waitFor()
    await press('Load')
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Somebody has loaded another version').waitFor()
    expect(await test.dialogFindings(page, 'conflict')).to.deep.equal([])
    const numbers = await dialog.locator('td.line-number').first().boundingBox()
    expect(numbers?.width, 'of the numbers, beside which the texts stand').to.be.within(30, 50)
    const [theirs, mine] = [dialog.locator('td.gone'), dialog.locator('td.new')]
    expect((await theirs.allInnerTexts()).join('\n')).to.include('/theirs')
    expect((await mine.allInnerTexts()).join('\n')).to.include('my orders')
    await dialog.getByRole('button', { name: 'Go on with mine, in place of theirs' }).click()
    await press('Load')
    await page.getByText('com.example.orders is loaded.').waitFor()
    expect(await editor().inputValue())
      .to.include('my orders')
      .and.not.include('/theirs')
  })

  it('are rolled back after a look at what has changed, unless another browser was faster', async () => {
    await test.load(test.first, withPath('/second'))
    page = await test.open(`${place}/versions`)
    const row = (index: number) => page.locator('tbody tr').nth(index)
    await row(1).getByRole('button', { name: 'Diff' }).click()
    await page.getByText('/versions/1.0/paths/~1second').first().waitFor()
    const added = await page.locator('.sides td.new').allInnerTexts()
    expect(added.join('\n')).to.include('/second')
    const other = await test.open(`${place}/versions`)
    await other.locator('tbody tr').nth(1).waitFor()
    // the other browser learns of the change too late
    await other.route('**/rollback', async (route) => {
      await row(1).getByRole('button', { name: 'Roll back' }).click()
      await page.getByText('com.example.orders is back').waitFor()
      await route.continue()
    })
    await other.locator('tbody tr').nth(1).getByRole('button', { name: 'Roll back' }).click()
    await other
      .getByRole('dialog')
      .getByText('Somebody has loaded another version since you looked')
      .waitFor()
    await other.close()
    const current = page.locator('tr', { hasText: 'current' })
    await current.waitFor()
    await page.getByRole('link', { name: 'Document' }).click()
    await editor().waitFor()
    expect(await editor().inputValue()).to.not.include('/second')
  })

  it('that were edited and not loaded are back after another screen and a reload, and can be dropped', async () => {
    page = await test.open(place)
    await edit((text) => text.replace('"id": 7', '"id": 77'))
    await page.getByRole('link', { name: 'Nodes' }).click()
    await page.locator('tbody .good').first().waitFor()
    await page.goBack()
    await page.getByText('Your changes that were not loaded are back.').waitFor()
    expect(await editor().inputValue()).to.include('"id": 77')
    await page.reload()
    await page.getByText('Your changes that were not loaded are back.').waitFor()
    expect(await editor().inputValue()).to.include('"id": 77')
    await page.getByRole('button', { name: 'Discard them' }).click()
    await page.getByText('are back').waitFor({ state: 'detached' })
    expect(await editor().inputValue()).to.not.include('"id": 77')
    await page.reload()
    await editor().waitFor()
    expect(await editor().inputValue()).to.not.include('"id": 77')
    expect(await page.getByText('are back').count()).to.equal(0)
  })

  it('that were edited when somebody else loads another version are not overwritten by what is back', async () => {
    page = await test.open(place)
    await edit((text) => text.replace('"id": 7', '"id": 77'))
    await page.getByRole('link', { name: 'Nodes' }).click()
    const changed = structuredClone(orders) as unknown as { name: string }
    changed.name = 'theirs'
    await test.load(test.second, changed)
    await page.goBack()
    await page.getByText('Another version was loaded while you were editing.').waitFor()
    await press('Load')
    await page.getByRole('dialog').getByText('Somebody has loaded another version').waitFor()
    await page.getByRole('button', { name: 'Take theirs, drop mine' }).click()
    await holds('theirs')
    await test.load(test.second, orders)
    await holds('"name": "orders"')
  })

  it('show the place of a mistake in an expression under the text that it is about', async () => {
    page = await test.open(place)
    await edit((text) =>
      text.replace('"{{request.bindings.id}}"', '"{{request.bindings.id |> itneger}}"'),
    )
    await press('Validate')
    const excerpt = page.locator('.issues .excerpt')
    await excerpt.waitFor()
    const [expression = '', caret = ''] = (await excerpt.innerText()).split('\n')
    expect(expression.slice(caret.indexOf('^'))).to.match(/^itneger/)
    const style = await page.evaluate(
      "getComputedStyle(document.querySelector('.issues .excerpt'))",
    )
    const { whiteSpace: white, fontFamily: font } = style as Record<string, string>
    expect([white, font?.includes('monospace')]).to.deep.equal(['pre', true])
    await press('Discard')
  })

  it('are made and deleted', async () => {
    page = await test.open('apis')
    await page.getByRole('link', { name: 'New API' }).click()
    await edit((text) =>
      text.replace('"realm_uri": "com.example.test"', '"realm_uri": "com.example.test"'),
    )
    await press('Load')
    await page.getByText('com.example.hello is loaded.').waitFor()
    await page.getByRole('link', { name: 'Versions' }).click()
    await page.getByRole('button', { name: 'Delete this API' }).click()
    expect(await test.dialogFindings(page, 'delete')).to.deep.equal([])
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('com.example.hello is deleted.').waitFor()
    await page.getByRole('heading', { name: 'APIs' }).waitFor()
  })

  it('tell the paths that they add and the redirect URI to register, when they are checked and loaded', async () => {
    const provider = { issuer: 'https://id.example.com', client_id: 'books' }
    const realm = { uri: 'com.example.logins', authmethods: ['oidcrp', 'anonymous', 'cookie'] }
    const body = { ...realm, info: { oidc_providers: { main: provider } } }
    await send(test.first.adminUrl, '/realms', { method: 'POST', body })
    const uri = `${test.first.url}/hi/oidc/main/callback`
    page = await test.open('new')
    const secured = { get: fixed('hi', { security: { type: 'oidc', provider: 'main' } }) }
    const spec = specOf('com.example.hi', '/hi', { '/me': secured }, 'com.example.logins')
    await edit(() => JSON.stringify(spec))
    const added = async () => {
      await page.getByText('Paths that the document adds').waitFor()
      await page.getByText('GET /hi/oidc/login').waitFor()
      await page.getByText('Register at the provider main as redirect URI').waitFor()
      await page.getByText(uri, { exact: true }).waitFor()
    }
    await press('Validate')
    await added()
    await press('Load')
    await page.getByText('com.example.hi is loaded.').waitFor()
    await page.waitForURL(/apis\/com\.example\.hi/)
    await added()
    await edit((text) => text.replace('"hi"', '"ho"'))
    await press('Load')
    await page.getByText('com.example.hi is loaded.').waitFor()
    await added()
    await goTo(page, place)
    await editor().waitFor()
    expect(await page.getByText('Paths that the document adds').count()).to.equal(0)
    await send(test.first.adminUrl, '/api_specs/com.example.hi', { method: 'DELETE' })
    await send(test.first.adminUrl, '/realms/com.example.logins', { method: 'DELETE' })
  })

  it('have a description and examples', async () => {
    page = await test.open(`${place}/openapi`)
    await holds('"openapi": "3.1')
    await page.getByLabel('Form').selectOption('YAML')
    await holds('openapi: 3.1')
    await page.getByRole('link', { name: 'Examples' }).click()
    await page.getByText('0 passed').waitFor()
  })

  it('larger than 1 MiB are read, not edited', async () => {
    const large = specOf('com.example.large', '/large', {
      '/a': { get: fixed('x'.repeat(1_100_000)) },
    })
    await test.load(test.first, large)
    page = await test.open('apis/com.example.large')
    await page.getByText('This document is larger than 1 MiB').waitFor()
    expect(await editor().getAttribute('readonly')).to.not.equal(null)
    expect(await page.getByRole('button', { name: 'Load', exact: true }).count()).to.equal(0)
  })
})
