/** `npm run attack -- [--only NAME] [--seconds N] [--tries N] [--tree FOLDER]`: attacks a gateway on this machine beside ordinary requests; fails when these notice. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Attack, type Target, turnOfFlood } from './attack.ts'
import { figuresOf, type Measured, problemsOf } from './bounds.ts'
import { attacks } from './index.ts'
import { OrdinaryClients, warmUp } from './ordinary.ts'
import { startVictim, type Victim } from './victim.ts'

const { values } = parseArgs({
  options: {
    /** Names of attacks, separated by commas. */
    only: { type: 'string' },
    /** How long each may attack. */
    seconds: { type: 'string', default: '15' },
    /** How often an attack is measured until it is withstood: other work of the machine slows everybody down. */
    tries: { type: 'string', default: '1' },
    /** The working copy whose gateway is attacked; default: this one. */
    tree: { type: 'string' },
  },
})
const seconds = Number(values.seconds)
const tries = Number(values.tries)
if (!(tries >= 1)) throw new TypeError('--tries: expected a number from 1 on')
if (!(seconds > 0)) throw new TypeError('--seconds: expected a number above 0')
const names = values.only?.split(',')
const chosen = attacks.filter(({ name }) => names === undefined || names.includes(name))
if (chosen.length === 0) {
  const known = attacks.map(({ name }) => name).join(', ')
  throw new TypeError(`--only: expected one or more of ${known}`)
}

/** Ordinary requests alone, before the attack; milliseconds. */
const alone = 3000
/** How long memory may take to come back, without the time for which other work kept the gateway from a processor; and with it, at most. Milliseconds. */
const rest = 30_000
const longestRest = 120_000
const step = 500
/** What an attacker may need to end once it is told to, milliseconds. */
const grace = 3000

/** Attacks from a process of its own, so that it does not slow the ordinary clients down by itself. @returns what it has found */
async function launch({ name }: Attack, target: Target): Promise<readonly string[]> {
  const program = new URL('attacker.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, name, JSON.stringify(target)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const ended = once(child, 'close')
  const timers = [
    setTimeout(() => child.kill('SIGTERM'), seconds * 1000),
    setTimeout(() => child.kill('SIGKILL'), seconds * 1000 + grace),
  ]
  await ended
  for (const timer of timers) clearTimeout(timer)
  return said === '' ? ['the attacker did not come to its end'] : JSON.parse(said)
}

/** Waits until memory is back where it was. */
async function settle(victim: Victim, before: number): Promise<number> {
  const start = performance.now()
  const { waited } = victim.schedule
  const passed = () => performance.now() - start
  const isOver = () => passed() > longestRest || passed() - (victim.schedule.waited - waited) > rest
  while (!isOver() && victim.rss - before > 50) await wait(step)
  return victim.rss
}

async function measure(attack: Attack): Promise<Measured> {
  const victim = await startVictim(attack, values.tree)
  try {
    await warmUp(victim.target)
    const ordinary = new OrdinaryClients(victim.target, () => victim.schedule)
    await wait(alone)
    const before = victim.rss
    victim.forgetPeak()
    ordinary.take()
    const since = Date.now()
    const { waited: waitedBefore } = victim.schedule
    const found = await launch(attack, victim.target)
    const took = Date.now() - since
    const waited = Math.max(0, victim.schedule.waited - waitedBefore)
    const after = await settle(victim, before)
    await ordinary.stop()
    const { peak, isRunning } = victim
    const turn = victim.longestTurn(since)
    const { maxTurn = turnOfFlood } = attack
    const outcomes = ordinary.take()
    return { outcomes, before, peak, after, isRunning, turn, maxTurn, took, waited, found }
  } finally {
    await victim.stop()
  }
}

/** How late this process itself is: a machine with too much to do is no fault of the gateway. */
const lateness = monitorEventLoopDelay()
lateness.enable()

/** Attacks once, and prints what was found; whether everything was within its bounds. */
async function isWithstood(attack: Attack): Promise<boolean> {
  lateness.reset()
  const measured = await measure(attack)
  const { count, p99, worst, slowest, ran, lost, refused, refusedFor } = figuresOf(measured)
  const { before, peak, after, turn, maxTurn, took, waited } = measured
  const problems = problemsOf(measured)
  console.log(`${problems.length === 0 ? 'ok    ' : 'BROKEN'} ${attack.name}: ${attack.about}
       ${count} ordinary requests: p99 ${p99.toFixed(0)} ms, worst ${worst.toFixed(0)} ms, ${lost.length} lost, ${refused} refused over ${refusedFor.toFixed(0)} ms
       without what other work took from the gateway: worst ${slowest.toFixed(0)} ms; the gateway itself ran for ${ran.toFixed(0)} ms at most during one
       memory: ${before.toFixed(0)} MB before, ${peak.toFixed(0)} at most, ${after.toFixed(0)} after
       event loop: the longest turn took ${turn.toFixed(0)} ms of CPU time (${maxTurn} allowed)
       machine: load ${loadavg()[0]?.toFixed(1)}, the ordinary clients themselves late by ${(lateness.max / 1e6).toFixed(0)} ms at most, the gateway kept from a processor for ${(waited / 1000).toFixed(1)} of ${(took / 1000).toFixed(1)} s`)
  for (const problem of problems) console.log(`       - ${problem}`)
  return problems.length === 0
}

let withstood = 0
for (const attack of chosen) {
  for (let count = 0; count < tries; count++) {
    if (!(await isWithstood(attack))) continue
    withstood += 1
    break
  }
}
console.log(`${withstood} attacks withstood, ${chosen.length - withstood} not`)
process.exit(withstood === chosen.length ? 0 : 1)
