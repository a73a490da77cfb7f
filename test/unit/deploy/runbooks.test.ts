/** The runbooks of the alerts: each alert leads to a section that says what to do about it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { alerts } from '#test/deploy/alerts.ts'

const page = readFileSync(join(import.meta.dirname, '../../../docs/troubleshooting.md'), 'utf8')

/** The section of a heading of the third level, by its anchor. */
const sections = new Map(
  page.split(/^#{2,3} /m).map((text): [string, string] => [
    (text.split('\n')[0] ?? '')
      .toLowerCase()
      .replace(/[^a-z -]/g, '')
      .replaceAll(' ', '-'),
    text,
  ]),
)

describe('the runbook of an alert', () => {
  it('is looked for in all of them', () => {
    expect(alerts.length).to.be.greaterThan(30)
    expect(new Set(alerts.map(({ alert }) => alert))).to.have.property('size', alerts.length)
  })

  for (const { alert, labels, annotations } of alerts) {
    it(`says what to do: ${alert}`, () => {
      const [file, anchor = ''] = annotations.runbook_url.split('#')
      expect(file).to.equal('docs/troubleshooting.md')
      expect(sections.get(anchor)).to.include(`\`${alert}\``)
      expect(annotations).to.have.all.keys('summary', 'description', 'runbook_url')
      expect(labels.severity).to.be.oneOf(['critical', 'warning'])
    })
  }

  it('names no alert that there is not', () => {
    const named = [...page.matchAll(/`(WampGateway\w+)`/g)].map(([, name]) => name)
    expect(new Set(named)).to.have.all.keys(...alerts.map(({ alert }) => alert))
  })
})
