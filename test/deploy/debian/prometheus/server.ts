/** Debian's Prometheus on a free port, with the rules of deploy/prometheus in a shorter time: a minute is a second. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { alertsFile } from '#test/deploy/alerts.ts'
import { debianProgram } from '#test/deploy/programs.ts'
import { freePort } from '#test/support/free-port.ts'
import { until } from '#test/support/running/until.ts'

type Labels = Readonly<Record<string, string>>

/** One result of an instant query. */
interface Sample {
  readonly metric: Labels
  readonly value: readonly [at: number, value: string]
}

/** Listeners that serve /metrics, by the name that Prometheus knows them by. */
type Targets = Record<string, string>

/** The job of all targets. */
export const job = 'wamp-gateway'

/** The least `for` of an alert, seconds: a machine that is busy for some scrapes is no fault. */
const leastFor = 5

/** PromQL, or a file of rules, whose minutes are seconds. */
const shortened = (text: string): string =>
  text
    .replace(/\bfor: (\d+)m\b/g, (_all, minutes) => `for: ${Math.max(leastFor, Number(minutes))}s`)
    .replace(/\[(\d+)m\]/g, '[$1s]')

/** A Prometheus that runs. */
export class Prometheus {
  readonly #folder: string
  readonly #url: string
  readonly #child: ChildProcess
  readonly #targets: Targets

  private constructor(folder: string, url: string, child: ChildProcess, targets: Targets) {
    this.#folder = folder
    this.#url = url
    this.#child = child
    this.#targets = targets
  }

  /** Starts one that has scraped its first targets when it begins to judge: no alert fires before. */
  static async start(targets: Targets): Promise<Prometheus> {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-prometheus-'))
    writeTargets(folder, targets)
    const config = {
      global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
      scrape_configs: [
        { job_name: job, file_sd_configs: [{ files: [join(folder, 'targets.json')] }] },
      ],
    }
    const file = join(folder, 'prometheus.yaml')
    writeFileSync(file, stringify(config))
    const address = `127.0.0.1:${await freePort()}`
    const words = [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
      '--log.level=error',
    ]
    const program = debianProgram('prometheus', 'prometheus')
    const child = spawn(program, words, { stdio: ['ignore', 'inherit', 'inherit'] })
    const started = new Prometheus(folder, `http://${address}`, child, { ...targets })
    await until('the first scrapes', async () => {
      const scraped = await started.query('up == 1').catch(() => [])
      return scraped.length === Object.keys(targets).length
    })
    const rules = join(folder, 'alerts.yaml')
    writeFileSync(rules, shortened(readFileSync(alertsFile, 'utf8')))
    writeFileSync(file, stringify({ ...config, rule_files: [rules] }))
    child.kill('SIGHUP')
    return started
  }

  /** Scrapes a gateway, too, under a name of its own: within six seconds. @param url of the listener that serves /metrics */
  scrape(instance: string, url: string): void {
    this.#targets[instance] = url
    writeTargets(this.#folder, this.#targets)
  }

  /** The results that are numbers. @param query PromQL, as the alerts and the dashboard have it */
  async query(query: string): Promise<readonly Sample[]> {
    const body = new URLSearchParams({ query: shortened(query) })
    const answer = await fetch(`${this.#url}/api/v1/query`, { method: 'POST', body })
    const { data, error } = (await answer.json()) as {
      readonly data?: { readonly result: readonly Sample[] }
      readonly error?: string
    }
    if (data === undefined) throw new Error(`${query}: ${error}`)
    return data.result.filter(({ value: [, value] }) => Number.isFinite(Number(value)))
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, 'exit')
    this.#child.kill()
    await ended
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** Prometheus notices a file that takes the place of the one before. */
function writeTargets(folder: string, targets: Targets): void {
  const groups = Object.entries(targets).map(([instance, url]) => ({
    targets: [new URL(url).host],
    labels: { instance },
  }))
  writeFileSync(join(folder, 'next.json'), JSON.stringify(groups))
  renameSync(join(folder, 'next.json'), join(folder, 'targets.json'))
}
