/** What a second process brings. */
import { execFileSync } from 'node:child_process'
import type { Ask } from '#bench/asks.ts'
import { gatewayCommand } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import { root } from '#bench/processes.ts'
import type { Scenario } from '#bench/stage.ts'
import { staticPath } from './static.ts'

/** Does the gateway have the option? Its help lists all. */
function hasOption(name: string): boolean {
  const { args } = gatewayCommand('help', {})
  const flags = args('').slice(0, args('').indexOf('--set'))
  const help = execFileSync(process.execPath, [...flags, '--help'], { cwd: root, encoding: 'utf8' })
  return help.split('\n').some((line) => line.trim().split(/\s/)[0] === name)
}

/** Who is compared: its name, how many cores it can use, and its options. */
const candidates: readonly (readonly [string, number, Readonly<Record<string, string>>])[] = [
  ['ours', 1, {}],
  ['ours, 2 workers', 2, { workers: '2' }],
]

/** Static answers. */
export const workers: Scenario = {
  about: 'a fixed answer of 50 bytes by 1 and 2 workers',
  build: async (stage) => {
    const asks: readonly Ask[] = [{ path: '/about', expected: { body: JSON.stringify(small) } }]
    for (const [name, cores, settings] of candidates) {
      const absent = Object.keys(settings).find((option) => !hasOption(option))
      if (absent) {
        stage.missing.push({ name, why: `not available: no option ${absent} in this version` })
        continue
      }
      const gateway = await stage.gateway(name, { '/about': staticPath(small) }, settings)
      stage.compare(name, gateway, asks, { cores })
    }
  },
}
