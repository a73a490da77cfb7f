/** How long a start takes, and what an idle process holds. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kill } from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'
import { Figures } from '#bench/figures.ts'
import { documentOf, gatewayCommand, realm } from '#bench/gateway.ts'
import { small } from '#bench/payloads.ts'
import type { Command, Process } from '#bench/processes.ts'
import { freePort, type Stage, type Trial } from '#bench/stage.ts'
import { staticPath } from './static.ts'

/** From the last answer until memory is read, milliseconds. */
const rest = 2000

const path = '/about'

/** A gateway as an operator starts it: its realm and its API are files. */
function configured(port: number): Command {
  const settings = { 'gateway.listen': `127.0.0.1:${port}` }
  const { args, ...command } = gatewayCommand('ours', settings)
  return {
    ...command,
    args: (folder) => {
      mkdirSync(join(folder, 'files'))
      const files = {
        realms: { uri: realm, authmethods: ['anonymous'] },
        specs: documentOf('com.example.bench', { [path]: staticPath(small) }),
      }
      const flags = Object.entries(files).flatMap(([option, content]) => {
        const file = join(folder, 'files', `${option}.json`)
        writeFileSync(file, JSON.stringify(content))
        return ['--set', `${option}=[${file}]`]
      })
      return [...args(folder), ...flags]
    },
  }
}

/** Starts a process, and waits for its first right answer. */
async function started(stage: Stage, command: Command, port: number): Promise<Process> {
  const process = stage.start(command)
  await process.until(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    const body = await answer?.text()
    return answer?.status === 200 && body === JSON.stringify(small) ? true : undefined
  })
  return process
}

/** Seconds from the start of the process to its first right answer, CPU time until then, and MB when it idles. */
async function startOnce(stage: Stage, command: Command, port: number) {
  const began = performance.now()
  const process = await started(stage, command, port)
  const seconds = (performance.now() - began) / 1000
  const cpu = process.cpu() / 1e6
  await wait(rest)
  const rss = process.rss()
  await process.stop()
  return { seconds, cpu, rss }
}

/** Starts it and lets it leave in order, so that what Node has compiled is kept for the next start. */
async function leaveCache(stage: Stage): Promise<void> {
  const port = await freePort()
  const process = await started(stage, configured(port), port)
  kill(process.pid, 'SIGTERM')
  while (process.isRunning) await wait(5)
}

/** As after an installation or a new version: nothing is kept from an earlier start. */
const forTheFirstTime = (command: Command, cache: string): Command => ({
  ...command,
  name: 'ours, first start of all',
  environment: { ...command.environment, NODE_COMPILE_CACHE: cache },
})

/** Node itself with a listener is beside it, for scale. */
export const start: Trial = {
  about:
    'from the start of the process to the first answer of an API from a file; memory when idle',
  attempt: async (stage, rounds) => {
    const figures = new Figures()
    await leaveCache(stage)
    for (let round = 0; round < rounds; round += 1) {
      const port = await freePort()
      const body = JSON.stringify(small)
      const bare = { name: 'bare', args: () => ['bench/peers/static-http.ts', body, String(port)] }
      const empty = mkdtempSync(join(tmpdir(), 'gateway-bench-cache-'))
      const ours = configured(port)
      for (const command of [bare, ours, forTheFirstTime(ours, empty)]) {
        const { seconds, cpu, rss } = await startOnce(stage, command, port)
        figures.add(`${command.name}: start to first answer`, 's', seconds)
        figures.add(`${command.name}: CPU time until then`, 's', cpu)
        figures.add(`${command.name}: RSS idle`, 'MB', rss)
      }
      rmSync(empty, { recursive: true })
    }
    return figures.all()
  },
}
