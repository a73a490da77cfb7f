/** Each screen of the console, light and dark, wide and narrow: without serious findings of axe-core, and pictured. */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type ConsoleTest, fixed, openConsole, orders, specOf } from './fixture.ts'

/** Where each screen is, and what is there once it is shown. */
const screens: readonly (readonly [name: string, place: string, shown: string])[] = [
  ['overview', 'overview', '.bar'],
  ['apis', 'apis', 'tbody tr'],
  ['document', 'apis/com.example.orders', '.paint .key'],
  ['routes', 'apis/com.example.orders/routes', 'tbody tr'],
  ['versions', 'apis/com.example.orders/versions', 'tbody tr'],
  ['openapi', 'apis/com.example.orders/openapi', '.paint .key'],
  ['examples', 'apis/com.example.orders/examples', '.badge.good'],
  ['usage', 'apis/com.example.orders/usage', '.empty'],
  ['new', 'new', '.paint .key'],
  ['nodes', 'nodes', 'tbody .good'],
]

/** Pictures of the docs are copied from here. */
const wanted = process.env.CONSOLE_PICTURES

describe('the screens of the console', function () {
  this.timeout(180_000)
  const folder = wanted ?? mkdtempSync(join(tmpdir(), 'console-'))
  let test: ConsoleTest
  let page: Page

  before(async () => {
    mkdirSync(folder, { recursive: true })
    test = await openConsole()
    const paths = { ...orders.versions['1.0'].paths, '/orders/:id/lines': { get: fixed([]) } }
    await test.load(test.second, specOf(orders.id, '/[v1]', paths))
    page = await test.open('overview')
    await page.locator('.tiles').waitFor()
    for (let round = 0; round < 4; round++) {
      await test.traffic(20)
      await page.waitForTimeout(1_000)
    }
  })
  after(async () => {
    await test?.close()
    if (wanted === undefined) rmSync(folder, { recursive: true })
  })
  beforeEach(() => test.traffic(5))
  afterEach(() => expect(test.troubles.splice(0)).to.deep.equal([]))

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 360]) {
      for (const [name, place, shown] of screens) {
        it(`${name}: ${colorScheme}, ${width} px wide`, async () => {
          await page.emulateMedia({ colorScheme })
          await page.setViewportSize({ width, height: width === 360 ? 740 : 800 })
          await page.goto(`${test.first.adminUrl}/console/#/${place}`)
          await page.locator(shown).first().waitFor()
          const path = join(folder, `${name}-${colorScheme}-${width}.png`)
          await page.screenshot({ path })
          expect(statSync(path).size).to.be.at.most(150_000)
          const { scrollWidth } = (await page.evaluate(
            '({ scrollWidth: document.documentElement.scrollWidth })',
          )) as { scrollWidth: number }
          expect(scrollWidth).to.be.at.most(width)
          if (width === 1280 || colorScheme === 'light') {
            expect(await test.findings(page)).to.deep.equal([])
          }
        })
      }
    }
  }
})
