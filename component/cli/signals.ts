/** The signals of a gateway: those that change it are obeyed once it has started, those that end it at any time. */
import { closeSync, openSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { Clock } from '#component/clock.ts'

/** SIGHUP reads the files again; SIGUSR2 switches the log between `debug` and its level. */
type Changing = 'SIGHUP' | 'SIGUSR2'

const signals: readonly Changing[] = ['SIGHUP', 'SIGUSR2']
const standardInput = 0
const early: Changing[] = []
const ending: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT']
let isStarting = true
/** Nothing is served yet, and what is on the disk is whole at any time. It stays: Node loses a signal that comes while its last listener goes. */
const endStart = (): void => {
  if (isStarting) endProcess(0)
}
let obey = (signal: Changing): void => void early.push(signal)

/** Takes the signals from now on: by default each would end the process. Called before the code of the gateway is read, which takes a while. */
export function holdSignals(): void {
  for (const signal of signals) process.on(signal, () => obey(signal))
  for (const signal of ending) process.on(signal, endStart)
}

/** Obeys the signals, also those that came since {@link holdSignals}; those that end the process are the caller's from now on. */
export function obeySignals(handlers: Readonly<Record<Changing, () => void>>): void {
  isStarting = false
  obey = (signal) => handlers[signal]()
  for (const signal of early.splice(0)) obey(signal)
}

/** A SIGINT this soon after another one is the same; milliseconds. */
const sameInterrupt = 300

/** Calls back for each Ctrl-C: a terminal sends SIGINT to all its processes, and npm and the command pass theirs on to the gateway. */
export function onInterrupt(clock: Pick<Clock, 'now' | 'after'>, handle: () => void): void {
  let last = Number.NEGATIVE_INFINITY
  process.on('SIGINT', () => {
    const now = clock.now()
    if (now - last < sameInterrupt) return
    last = now
    // the process stays until the same signal cannot come again: one that comes while it ends would kill it
    clock.after(sameInterrupt, () => undefined)
    handle()
  })
}

/** Whether the process has a controlling terminal (tty(4)). */
function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

/** Whether the process belongs to a terminal at its start. Under `nohup`, standard input is no terminal. */
const isFromTerminal = isatty(standardInput) && hasTerminal()

/** Whether the terminal is closed in which the process was started: SIGHUP says so, too. */
export const hasLostTerminal = (): boolean => isFromTerminal && !hasTerminal()

/**
 * Ends the process at once. A process that has lost its terminal gets SIGKILL: its log retries the write to the closed terminal without
 * end, and an exit would wait for that (sonic-boom 4.2.1, `flushSync`).
 */
export function endProcess(code: number): never {
  if (hasLostTerminal()) process.kill(process.pid, 'SIGKILL')
  process.exit(code)
}
