/** What Chromium leaves as it is in the target of a request is taken: `fetch` is called for each character of ASCII. */
import { expect } from 'chai'
import type { Browser } from 'playwright-core'
import { ascii, nameOf, ofTarget, targetsGateway } from '#test/support/examples/targets.ts'
import { launchBrowser } from './chromium.ts'

/** What `fetch` has got. */
interface Fetched {
  readonly status: number
  readonly body: unknown
}

describe('a character of a target in a browser', () => {
  const gatewayOf = targetsGateway()
  let browser: Browser

  before(async () => {
    browser = await launchBrowser()
  })
  after(() => browser?.close())

  /** The answers to `fetch` for the targets, in their order. */
  async function fetchAll(targets: readonly string[]): Promise<readonly Fetched[]> {
    const page = await browser.newPage()
    await page.goto(`${gatewayOf().url}/seen/a?q=1`)
    const answers = await page.evaluate(async (urls) => {
      const found = []
      for (const url of urls) {
        const answer = await fetch(url)
        found.push({ status: answer.status, body: await answer.json() })
      }
      return found
    }, targets)
    await page.close()
    return answers
  }

  for (const [place, left] of [
    ['path', ''],
    ['query', '?q='],
  ] as const) {
    it(`is taken in a ${place}, but for NUL and a percent sign that begins no escape`, async () => {
      const targetsOf = (route: string) => ascii.map((one) => `/${route}/a${left}x${one}y`)
      const sent = await fetchAll(targetsOf('sent'))
      const seen = await fetchAll(targetsOf('seen'))
      const refused = ascii.filter((_, at) => sent[at]?.status !== 200)
      expect(refused.map(nameOf)).to.deep.equal(['0x00', '%'])
      for (const [at, character] of ascii.entries()) {
        if (refused.includes(character)) continue
        const { body } = sent[at] ?? {}
        expect(body, nameOf(character)).to.be.a('string').that.matches(ofTarget)
        // two segments have no route there: browsers make a slash of a backslash
        const isDivided = place === 'path' && '/\\'.includes(character)
        if (isDivided) continue
        const told = (seen[at] as Fetched).body as { readonly target: string }
        const [path, query] = told.target.split(/\?(.*)/)
        const target = query === '' ? path : `${path}?${query}`
        expect(target, nameOf(character)).to.equal(String(body).replace('/sent/', '/seen/'))
      }
    })
  }
})
