/** `node test/cluster/node-main.ts OFFSET --set KEY=VALUE …`: a gateway whose clock is off by OFFSET milliseconds. */
import { systemClock } from '#component/clock.ts'
import { startComponent } from '#component/component.ts'
import { readConfig } from '#component/config/config.ts'
import { openLog } from '#component/log.ts'

const [offset = '0', ...settings] = process.argv.slice(2)
const pairs = settings.map((setting): [string, string] => {
  const at = setting.indexOf('=')
  return [setting.slice(0, at), setting.slice(at + 1)]
})
const config = readConfig(undefined, {}, Object.fromEntries(pairs))
const clock = { ...systemClock, now: () => Date.now() + Number(offset) }
const component = await startComponent(config, openLog(config.log.level), clock)
process.once('SIGTERM', () => {
  void component.stop(config.gateway.drain_delay).then(() => process.exit(0))
})
process.stdout.write(`gateway ${component.gatewayUrls[0]} admin ${component.adminUrls[0]}\n`)
