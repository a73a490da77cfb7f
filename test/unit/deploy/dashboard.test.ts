/** deploy/grafana/wamp-gateway.json: it is what the rows say, and whole as Grafana expects it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type DrawnPanel, dashboard, dashboardFile } from '#test/deploy/dashboard.ts'

const panels = dashboard.panels.filter(({ type }) => type !== 'row')

/** Whether two panels cover one cell of the grid. */
function overlap({ gridPos: one }: DrawnPanel, { gridPos: other }: DrawnPanel): boolean {
  const isBeside = one.x + one.w <= other.x || other.x + other.w <= one.x
  const isBelow = one.y + one.h <= other.y || other.y + other.h <= one.y
  return !isBeside && !isBelow
}

describe('the dashboard', () => {
  it('is what deploy/grafana/dashboard.ts prints: npm run docs', () => {
    const program = join(import.meta.dirname, '../../../deploy/grafana/dashboard.ts')
    const printed = execFileSync(process.execPath, [program], { encoding: 'utf8' })
    expect(readFileSync(dashboardFile, 'utf8')).to.equal(printed)
  })

  it('has an id for each panel, and no two at one place', () => {
    expect(panels.length).to.be.greaterThan(50)
    const ids = dashboard.panels.map(({ id }) => id)
    expect(new Set(ids)).to.have.property('size', ids.length)
    const pairs = dashboard.panels.flatMap((one, index) =>
      dashboard.panels.slice(index + 1).filter((other) => overlap(one, other)),
    )
    expect(pairs.map(({ title }) => title)).to.deep.equal([])
  })

  it('says of each panel what it means', () => {
    const titles = panels.map(({ title }) => title)
    expect(new Set(titles)).to.have.property('size', titles.length)
    for (const { title, description = '' } of panels)
      expect(description, title).to.match(/^.{30,}\.$/)
  })

  it('asks each query for the gateways that are chosen, and uses no variable that it lacks', () => {
    const known = [...dashboard.templating.list.map(({ name }) => name), '__rate_interval']
    for (const { title, targets = [] } of panels) {
      expect(targets, title).to.not.have.lengthOf(0)
      for (const { expr } of targets) {
        if (!expr.includes('ALERTS'))
          expect(expr, title).to.include('job=~"$job",instance=~"$instance"')
        const used = [...expr.matchAll(/\$([a-z_]\w*)/g)].map(([, name]) => name)
        expect(known).to.include.members(used)
        expect(expr, title).to.not.include('@')
      }
    }
  })
})
