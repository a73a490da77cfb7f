/** The console in a browser while things happen: loads elsewhere, a gateway that goes away, credentials, and texts of strangers. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { startGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type ConsoleTest, fixed, goTo, openConsole, orders, specOf } from './fixture.ts'

const admin = 'com.example.admin'

describe('the console while things happen', () => {
  let test: ConsoleTest
  let page: Page
  const keys = new Map<string, string>()

  before(async () => {
    test = await openConsole({ 'admin.realm': admin })
    const { adminUrl } = test.first
    for (const [uri, username, group] of [
      [admin, 'reader', 'spec_reader'],
      ['com.example.one', 'ops', 'spec_loader'],
    ] as const) {
      const body = {
        uri,
        authmethods: ['anonymous', 'oauth2'],
        users: [{ username, groups: [group] }],
      }
      await send(adminUrl, '/realms', { method: 'POST', body })
      const path = `/realms/${uri}/users/${username}/api_keys`
      const issued = await send(adminUrl, path, { method: 'POST', body: {} })
      keys.set(username, (issued.json() as { api_key: string }).api_key)
    }
    const ofOne = specOf(
      'com.example.mine',
      '/mine',
      { '/a': { get: fixed('x') } },
      'com.example.one',
    )
    await test.load(test.first, ofOne)
  })
  after(() => test?.close())
  afterEach(async () => {
    await page?.close()
    expect(test.troubles.splice(0)).to.deep.equal([])
  })

  it('shows a load on another node as it is told of it', async () => {
    page = await test.open('apis')
    await page.locator('tbody tr').first().waitFor()
    await test.load(
      test.second,
      specOf('com.example.fresh', '/fresh', { '/a': { get: fixed('x') } }),
    )
    await page.getByRole('link', { name: 'com.example.fresh' }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('.events').getByText('com.example.fresh').waitFor()
  })

  it('shows the numbers of both nodes', async () => {
    page = await test.open('nodes')
    await test.traffic()
    await page.locator('tr', { hasText: 'node-b' }).getByText('ready').waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('tr', { hasText: '/[v1]/orders/:id' }).first().waitFor()
  })

  it('draws what changes before a part of the page follows it', async () => {
    page = await test.open('overview')
    await page.evaluate(`(async () => {
      const { makeStore, useStore } = await import('/console/lib/store.js')
      const { html, render } = await import('/console/preact.js')
      const store = makeStore({ text: 'before' })
      window.part = document.createElement('p')
      render(html\`<\${() => useStore(store).text} />\`, part)
      store.set({ text: 'after' })
    })()`)
    const text = () => page.evaluate('part.textContent')
    await until('it shows the change', async () => (await text()) === 'after')
  })

  it('draws as far back as is chosen, also after another screen', async () => {
    page = await test.open('overview')
    const range = page.getByLabel('Charts of the last')
    expect(await range.inputValue()).to.equal('300')
    await range.selectOption('1 hour')
    await page.getByRole('link', { name: 'APIs' }).click()
    await page.getByRole('heading', { name: 'APIs' }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    expect(await range.inputValue()).to.equal('3600')
  })

  it('asks for credentials where those of the tab are refused, and reads with those of a reader', async () => {
    page = await test.open('apis/com.example.orders', { key: 'nonsense' })
    await page.getByText('Refused: the credentials are not valid for management').waitFor()
    await page.getByLabel('Access token or API key').fill(keys.get('reader') ?? '')
    await page.keyboard.press('Enter')
    await page.locator('textarea').waitFor()
    await page.getByText('reader', { exact: true }).or(page.getByText('reads')).first().waitFor()
    for (const name of ['Load', 'Delete', 'Validate']) {
      expect(await page.getByRole('button', { name, exact: true }).count()).to.equal(0)
    }
    await page.getByRole('link', { name: 'Versions' }).click()
    await page.locator('tbody tr').first().waitFor()
    expect(await page.getByRole('button', { name: 'Roll back' }).count()).to.equal(0)
    await page.getByRole('link', { name: 'APIs' }).first().click()
    await page.getByRole('link', { name: 'com.example.orders' }).waitFor()
    expect(await page.getByRole('link', { name: 'New API' }).count()).to.equal(0)
    await page.getByRole('link', { name: 'Realms' }).click()
    await page.getByRole('link', { name: 'com.example.one' }).click()
    await page.locator('tr', { hasText: 'ops' }).waitFor()
    for (const tab of ['Grants', 'API keys', 'Users']) {
      await page.getByRole('link', { name: new RegExp(`^${tab}`) }).click()
      await page.locator('.tabs [aria-current]', { hasText: tab }).waitFor()
      await page.locator('main .panel').first().waitFor()
      for (const name of ['New', 'Edit', 'Delete', 'Revoke', 'Issue', 'Rotate'])
        expect(
          await page
            .locator('main')
            .getByText(new RegExp(`^${name}\\b`))
            .count(),
        ).to.equal(0)
    }
    await goTo(page, 'realms/com.example.one/users/=ops')
    await page.locator('textarea[readonly]').waitFor()
    expect(await page.getByRole('button', { name: 'Load', exact: true }).count()).to.equal(0)
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.getByRole('heading', { name: 'Requests' }).waitFor()
    expect(await page.getByText('Traces').count()).to.equal(0)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Access token or API key').waitFor()
    expect(await page.evaluate("sessionStorage.getItem('wamp-gateway.credentials')")).to.equal(null)
  })

  it('shows operators of one realm what is theirs', async () => {
    page = await test.open('apis', { key: keys.get('ops') ?? '' })
    await page.locator('tbody tr').first().waitFor()
    expect(await page.locator('tbody tr').allInnerTexts()).to.have.length(1)
    await page.getByRole('link', { name: 'com.example.mine' }).waitFor()
    expect(await page.getByRole('link', { name: 'Nodes' }).count()).to.equal(0)
    await test.load(test.second, orders)
    await test.load(
      test.second,
      specOf('com.example.more', '/more', { '/a': { get: fixed('x') } }, 'com.example.one'),
    )
    await page.getByRole('link', { name: 'com.example.more' }).waitFor()
    expect(await page.locator('tbody tr').allInnerTexts()).to.have.length(2)
  })

  it('greys what it knows while the gateway is away, and goes on when it is back', async () => {
    const data_dir = mkdtempSync(join(tmpdir(), 'console-'))
    const gateway = await startGateway({ data_dir })
    const settings = { data_dir, 'admin.listen': new URL(gateway.adminUrl).host }
    page = await test.browser.newPage()
    await page.goto(`${gateway.adminUrl}/console/#/apis`)
    await page.getByRole('heading', { name: 'APIs' }).waitFor()
    await gateway.stop()
    await page.getByText('The gateway does not respond.').waitFor()
    await page.locator('main.stale').waitFor()
    const again = await startGateway(settings)
    await again.load(orders)
    await page.getByRole('link', { name: 'com.example.orders' }).waitFor()
    expect(await page.locator('main.stale').count()).to.equal(0)
    await page.close()
    await again.stop()
    rmSync(data_dir, { recursive: true, force: true })
  })

  it('runs no script that stands in a document', async () => {
    const evil = [
      '<img src=x onerror=alert(1)>',
      '"><script>alert(2)</script>',
      "javascript:alert(3)//'",
    ]
    const paths = Object.fromEntries(
      evil.map((text, index) => [
        `/x${index}/${encodeURIComponent(text.replaceAll('/', ''))}`,
        { get: fixed(text, { summary: text }) },
      ]),
    )
    const document = {
      ...specOf('com.example.evil', '/evil', paths),
      ...{ name: evil[0], meta: { note: evil[1] }, host: '_' },
    }
    await test.load(test.second, document)
    await test.load(test.first, { ...document, name: evil[1] })
    page = await test.open('apis')
    await page.getByText('"><script>alert(2)</script>').first().waitFor()
    for (const tab of ['', '/routes', '/versions', '/openapi', '/examples']) {
      await goTo(page, `apis/com.example.evil${tab}`)
      await page.getByRole('heading', { name: 'com.example.evil' }).waitFor()
      await page.waitForTimeout(200)
    }
    await goTo(page, `apis/${encodeURIComponent(evil[0] ?? '')}`)
    await page.getByText('This API Specification is not loaded.').waitFor()
    expect(await page.locator('script, img[src="x"]').count()).to.equal(1)
  })

  it('runs no script that stands in the names of users, groups and who has loaded something', async () => {
    const uri = 'com.example.evil'
    const username = '<img src=x onerror=alert(1)>'
    const group = '"><script>alert(2)</script>'
    const { adminUrl, url } = test.first
    const realm = {
      ...{ uri, authmethods: ['anonymous', 'oauth2'], groups: [{ name: group }] },
      users: [{ username, groups: ['spec_loader', group] }],
      grants: [{ permissions: ['wamp.call'], roles: [group], uri: username, match: 'exact' }],
    }
    page = await test.open('overview')
    await page.locator('.tiles').waitFor()
    await send(adminUrl, '/realms', { method: 'POST', body: realm })
    const path = `/realms/${uri}/users/${encodeURIComponent(username)}/api_keys`
    const issued = await send(adminUrl, path, { method: 'POST', body: {} })
    const { api_key } = issued.json() as { api_key: string }
    const body = specOf('com.example.by', '/by', { '/a': { get: fixed('x') } }, uri)
    const headers = { authorization: `Bearer ${api_key}`, 'user-agent': group }
    const loaded = await send(adminUrl, '/api_specs', { method: 'POST', headers, body })
    expect(loaded.status, loaded.text).to.equal(201)
    await page.locator('.events').getByText(`by ${username}`).waitFor()
    const places = [
      ['requests', 'Requests'],
      ...['users', 'groups', 'grants', 'keys', 'logins'].map((tab) => [
        `realms/${uri}/${tab}`,
        uri,
      ]),
      [`realms/${uri}/users/${encodeURIComponent(`=${username}`)}`, uri],
      ['apis/com.example.by/versions', 'com.example.by'],
    ]
    for (const [place = '', heading = ''] of places) {
      await goTo(page, place)
      await page.getByRole('heading', { name: heading }).waitFor()
      await send(url, '/by/a', { headers: { 'user-agent': group } })
      await page.waitForTimeout(200)
    }
    await page.getByText(username).first().waitFor()
    expect(await page.locator('script, img[src="x"]').count()).to.equal(1)
  })

  it('draws at most once a frame while a thousand events a second come', async () => {
    page = await test.browser.newPage()
    await page.addInitScript(`
      const real = fetch
      window.drawn = { frames: 0, times: 0 }
      window.fetch = async (url, options) => {
        if (!String(url).endsWith('/events')) return real(url, options)
        const encoder = new TextEncoder()
        const frame = (name, data) => encoder.encode('event: ' + name + '\\ndata: ' + JSON.stringify(data) + '\\n\\n')
        let sent = 0
        return new Response(new ReadableStream({
          start(controller) {
            controller.enqueue(frame('hello', { node: 'a', version: '1', is_ready: true, problems: [], access: 'load', within: null, by: 'local' }))
            const timer = setInterval(() => {
              for (let i = 0; i < 50; i++) controller.enqueue(frame('on_load', { id: 'com.example.n' + sent++, ts: 1, hash: 'abcdef012345', node: 'a' }))
              if (sent >= 3000) { clearInterval(timer); window.isSent = true }
            }, 50)
          },
        }))
      }
      const beat = () => {
        drawn.frames += 1
        requestAnimationFrame(beat)
      }
      beat()
      new MutationObserver((changes) => {
        if (changes.some(({ target }) => target.parentElement?.closest('.events'))) drawn.times += 1
      }).observe(document, { characterData: true, childList: true, subtree: true })`)
    await page.goto(`${test.first.adminUrl}/console/`)
    await page.getByText('com.example.n2999').waitFor()
    expect(await page.locator('.events > li').count()).to.equal(60)
    const { frames, times } = (await page.evaluate('drawn')) as Readonly<Record<string, number>>
    expect(times).to.be.within(2, frames ?? 0)
  })

  it('is usable soon after it was asked for', async () => {
    page = await test.open('apis')
    await page.locator('tbody tr').first().waitFor()
    const begun = performance.now()
    await page.reload({ waitUntil: 'commit' })
    await page.locator('tbody tr').first().waitFor()
    if (process.env.CONSOLE_FIGURES)
      console.log(`      usable: ${Math.round(performance.now() - begun)} ms`)
  })
})
