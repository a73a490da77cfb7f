/** What axe-core finds in a page. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'

const axe = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe finds, as far as it is serious. */
interface Finding {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** The serious and critical findings: the rule, and the elements. */
export async function findingsIn(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found = (await page.evaluate('axe.run().then(({ violations }) => violations)')) as Finding[]
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join('; ')}`)
}
