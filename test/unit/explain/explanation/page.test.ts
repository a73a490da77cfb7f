/** docs/explain.md: its question about its document has its answer. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { explained } from './explained.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../docs/explain.md'), 'utf8')

/** The members that the page shows of a map. */
const shownOf = (map: object, shown: object) =>
  Object.fromEntries(Object.entries(map).filter(([key]) => key in shown))

describe('docs/explain.md', () => {
  it('shows an answer that the gateway gives', async () => {
    const blocks = [...page.matchAll(/```json\n(.*?)```/gs)]
    const [document, asked, answer] = blocks.map(([, text = '']) => JSON.parse(text))
    const explanation = await explained(asked, [document])
    const { rules, response } = explanation
    expect({
      ...explanation,
      rules: shownOf(rules, answer.rules),
      response: { ...response, headers: shownOf(response?.headers ?? {}, answer.response.headers) },
    }).to.deep.equal(answer)
  })
})
