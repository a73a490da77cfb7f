/** Texts that users see have the words of the field: the table of test/cases/words.ts. */
import { expect } from 'chai'
import { oldWords } from '#test/cases/words.ts'
import { toldTexts } from '#test/support/pages/told-texts.ts'

/** Texts that stand in the code and that nobody reads, with the reason. */
const unread: readonly (readonly [text: RegExp, reason: string])[] = [
  [/^\s*(?:create (?:table|index)|update \w+ set|with \w+ \()/, 'SQL'],
  [/^idempotent answer …$/, 'a part of what seals rows of the store'],
]

/** Pages of what was done and measured, which keep the words of their time. */
const past = /^(?:CHANGELOG|docs\/(?:design\/)?performance)\.md:/

describe('texts that users see', () => {
  const texts = toldTexts().filter(
    ({ place, text }) => !past.test(place) && !unread.some(([each]) => each.test(text)),
  )

  it('are read from pages, programs and files of the deployment', () => {
    const isRead = (start: string) => texts.some(({ place }) => place.startsWith(start))
    for (const start of [
      'README.md:',
      'docs/policies.md:',
      'component/errors.ts:',
      'component/cli/',
      'http/console/page/',
      'deploy/grafana/',
      'deploy/prometheus/alerts.yaml:',
    ])
      expect(isRead(start), start).to.equal(true)
  })

  for (const { old, now, sample } of oldWords) {
    it(`say "${now}" and not "${old.source}"`, () => {
      expect(sample).to.match(old)
      const found = texts.filter(({ text }) => old.test(text))
      expect(found.map(({ place, text }) => `${place}: ${text}`)).to.deep.equal([])
    })
  }
})
