/** What thousands of API Specifications cost: the first start with their files, a restart, and each load beside them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Figures } from '#bench/figures.ts'
import { gatewayCommand, post, realm } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import { probe } from '#bench/probe.ts'
import type { Process } from '#bench/processes.ts'
import type { Stage, Trial } from '#bench/stage.ts'
import { staticPath } from './static.ts'
import { callPaths } from './wamp.ts'

const [few, many] = [100, 10_000]

/** Loads of one round, and milliseconds between two of them beside requests. */
const loads = 50
const interval = 100

/** A first start with all files may take longer than that of other scenarios; milliseconds. */
const patience = 240_000

/** Five paths with two methods each; all documents have one host. */
function specificationOf(number: number, revision: number) {
  const { get } = callPaths['/hello/:name']
  const paths = Array.from({ length: 5 }, (_, at) => [
    `/s${number}/things-${at}-${revision}/:name`,
    { get, post: get },
  ])
  return {
    ...{ id: `com.example.s${number}`, host: '_', realm_uri: realm },
    versions: { '1.0.0': { base_path: '/', paths: Object.fromEntries(paths) } },
  }
}

const about = {
  ...{ id: 'com.example.about', host: '_', realm_uri: realm },
  versions: { '1.0.0': { base_path: '/', paths: { '/about': staticPath(small) } } },
}

/** A folder with as many documents, one file each, and the realm. */
function filesOf(stage: Stage, count: number) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-bench-'))
  stage.closing(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'specs'))
  const write = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(value))
  write('realm.json', { uri: realm, authmethods: ['anonymous'] })
  write('specs/about.json', about)
  for (let number = 0; number < count; number += 1) {
    write(`specs/s${number}.json`, specificationOf(number, 0))
  }
  return {
    data_dir: join(folder, 'data'),
    realms: JSON.stringify([join(folder, 'realm.json')]),
    specs: JSON.stringify([join(folder, 'specs/*.json')]),
  }
}

interface Started {
  readonly process: Process
  readonly url: string
  readonly admin: string
  readonly seconds: number
}

async function start(stage: Stage, settings: Readonly<Record<string, string>>): Promise<Started> {
  const began = performance.now()
  const process = stage.start(gatewayCommand('ours', settings))
  const admin = await process.says(/^admin +(\S+)$/m, patience)
  const seconds = (performance.now() - began) / 1000
  return { process, admin, url: await process.says(/^gateway +(\S+)$/m), seconds }
}

/** CPU time of one load in the place of another; milliseconds. */
async function costOfLoads({ process, admin }: Started, revision: number): Promise<number> {
  const before = process.cpu()
  for (let number = 0; number < loads; number += 1) {
    await post(`${admin}/api_specs`, specificationOf(number, revision))
  }
  return (process.cpu() - before) / 1000 / loads
}

/** p99 of requests every 2 ms while documents are loaded, or not; milliseconds. */
async function latency({ url, admin }: Started, revision: number | undefined): Promise<number> {
  const asked = probe(`${url}/about`, JSON.stringify(small))
  for (let number = 0; number < loads; number += 1) {
    const next = wait(interval)
    if (revision !== undefined) await post(`${admin}/api_specs`, specificationOf(number, revision))
    await next
  }
  return (await asked()).p99
}

/** Loads are measured in turn with few and with many documents, so that both meet the same machine. */
export const specifications: Trial = {
  about: `${many} API Specifications of ten routes: the first start with their files, a restart, and loads beside them`,
  attempt: async (stage, rounds) => {
    const figures = new Figures()
    const [fewSettings, manySettings] = [filesOf(stage, few), filesOf(stage, many)]
    const first = await start(stage, manySettings)
    figures.add(`first start with ${many} files`, 's', first.seconds)
    await first.process.stop()
    const one = await start(stage, fewSettings)
    const other = await start(stage, manySettings)
    figures.add(`restart with ${many}`, 's', other.seconds)
    figures.add(`RSS after a restart with ${many}`, 'MB', other.process.rss())
    for (let round = 1; round <= rounds; round += 1) {
      const [ofFew, ofMany] = [
        await costOfLoads(one, 2 * round),
        await costOfLoads(other, 2 * round),
      ]
      if (round > 1) {
        figures.add(`CPU time of a load beside ${few}`, 'ms', ofFew)
        figures.add(`CPU time of a load beside ${many}`, 'ms', ofMany)
        figures.add(`CPU time of a load, ${many} to ${few}`, '', ofMany / ofFew)
      }
      const quiet = await latency(other, undefined)
      const busy = await latency(other, 2 * round + 1)
      figures.add(`p99 of requests beside ${many}`, 'ms', quiet)
      figures.add(`p99 of requests while ten of ${many} are loaded a second`, 'ms', busy)
      figures.add('p99 of requests, with loads to without', '', busy / quiet)
    }
    return figures.all()
  },
}
