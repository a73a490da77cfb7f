/** deploy/prometheus/alerts.yaml on recorded series: each alert fires on its fault, no other one does, and it says what is wrong. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { parse, stringify } from 'yaml'
import { type Alert, alerts, alertsFile } from '#test/deploy/alerts.ts'
import { panelQueries } from '#test/deploy/dashboard.ts'
import { debianProgram, deployFolder } from '#test/deploy/programs.ts'
import { run } from '#test/support/command.ts'

/** Series by name and labels, in promtool's notation. */
type Recorded = Readonly<Record<string, string>>

interface Fault {
  readonly series: Recorded
  readonly labels?: Readonly<Record<string, string>>
  /** As the description shows it. */
  readonly value?: string
}

const cases = parse(readFileSync(join(deployFolder, '../test/cases/alerts.yaml'), 'utf8')) as {
  readonly healthy: Recorded
  readonly faults: Readonly<Record<string, Fault>>
  readonly silent: Readonly<Record<string, Recorded>>
}

const place = { job: 'wamp-gateway', instance: 'a:8082' }

/** The name of a series with the labels that Prometheus adds to all of a target. */
function placed(series: string): string {
  const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? []
  const added = Object.entries(place).map(([label, value]) => `${label}="${value}"`)
  return `${name}{${[...added, labels].filter(Boolean).join(',')}}`
}

/** The alert of a fault, as promtool expects it: the template of the description is filled in here. */
function firing({ labels, annotations }: Alert, { labels: own = place, value = '' }: Fault) {
  const of: Readonly<Record<string, string>> = own
  const description = annotations.description
    .replace(/\{\{ \$labels\.(\w+) \}\}/g, (_all, label: string) => of[label] ?? `no ${label}`)
    .replace(/\{\{ \$value[^}]*\}\}/g, value)
  return { exp_labels: { ...own, ...labels }, exp_annotations: { ...annotations, description } }
}

describe('the alerts', () => {
  let folder: string

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-alerts-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))

  const promtool = (...words: readonly string[]) =>
    run(debianProgram('promtool', 'prometheus'), words, folder)

  /** What promtool complains of when exactly this alert is to fire. */
  async function complaints(series: Recorded, firing?: Alert, found?: object): Promise<string> {
    const all = Object.entries({ ...cases.healthy, ...series })
    const test = {
      interval: '1m',
      input_series: all.map(([name, values]) => ({ series: placed(name), values })),
      alert_rule_test: alerts.map(({ alert }) => ({
        eval_time: '40m',
        alertname: alert,
        exp_alerts: alert === firing?.alert ? [found] : [],
      })),
    }
    const file = join(folder, 'test.yaml')
    const rules = { rule_files: [alertsFile], evaluation_interval: '1m', tests: [test] }
    writeFileSync(file, stringify(rules))
    const { code, stdout, stderr } = await promtool('test', 'rules', file)
    return code === 0 ? '' : `${stdout}${stderr}`
  }

  it('are rules that promtool has nothing to say against', async () => {
    const { code, stdout, stderr } = await promtool('check', 'rules', '--lint-fatal', alertsFile)
    expect(code, `${stdout}${stderr}`).to.equal(0)
  })

  it('stand beside a dashboard whose queries are PromQL', async () => {
    const rules = panelQueries.map(({ expr }, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }))
    const file = join(folder, 'queries.yaml')
    writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }))
    const { code, stdout, stderr } = await promtool('check', 'rules', file)
    expect(code, `${stdout}${stderr}`).to.equal(0)
  })

  it('come with a configuration that promtool accepts', async () => {
    const file = join(deployFolder, 'prometheus/prometheus.yaml')
    const { code, stdout, stderr } = await promtool('check', 'config', '--lint-fatal', file)
    expect(code, `${stdout}${stderr}`).to.equal(0)
  })

  it('have a case each', () => {
    expect(Object.keys(cases.faults)).to.have.members(alerts.map(({ alert }) => alert))
  })

  it('are silent about a gateway without a fault', async () => {
    expect(await complaints({})).to.equal('')
  })

  for (const [title, series] of Object.entries(cases.silent)) {
    it(`are silent about ${title}`, async () => {
      expect(await complaints(series)).to.equal('')
    })
  }

  for (const rule of alerts) {
    const fault = cases.faults[rule.alert]
    if (fault === undefined) continue
    it(`fire for one fault: ${rule.alert}`, async () => {
      expect(await complaints(fault.series, rule, firing(rule, fault))).to.equal('')
    })
  }
})
