/** The demonstration of `start` without a configuration: the hello example, with its backend in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { moduleEnding, programRoot } from '#component/program-root.ts'

const folder = join(programRoot, 'examples/hello')

/** The configuration of the demonstration; its documents are found from every working folder. */
export const demoConfig = join(folder, 'gateway.yaml')
export const demoSettings: readonly string[] = [
  `realms=${JSON.stringify([join(folder, 'realm.json')])}`,
  `specs=${JSON.stringify([join(folder, 'api-spec.json')])}`,
]

/** Options by dotted key, whole sections of them with a dot at the end, that say where the gateway listens and what it tells, not what it serves. */
const demoOptions = ['gateway.listen', 'admin.listen', 'health.listen', 'log', 'log.', 'workers']

/**
 * Whether `start` runs the demonstration: without a configuration file, and with options only that leave open what is served.
 * @param options the dotted keys of all options that are set, by flags and by the environment
 */
export const isDemonstration = (file: string | undefined, options: readonly string[]): boolean =>
  file === undefined &&
  options.every((key) =>
    demoOptions.some((each) => key === each || (each.endsWith('.') && key.startsWith(each))),
  )

/** The first command to try. */
export const demoCommand = (gateway: string): string => `curl ${gateway}/hello/Ada`

/** The backend, running. */
export interface Demo {
  stop(): void
}

/** What the backend tells. */
export interface DemoPorts {
  /** A line of its standard output. */
  onLine(line: string): void
  /** A line of its standard error. */
  onError(line: string): void
  /** It has ended without having been asked to. */
  onEnd(): void
}

/**
 * Starts the backend; resolves when it has registered its procedures.
 * @returns undefined when the backend ended; it has told the reason
 */
export async function startDemo(routerUrl: string, ports: DemoPorts): Promise<Demo | undefined> {
  const program = join(folder, `backend${moduleEnding}`)
  const backend = fork(program, [routerUrl], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const told = Promise.all([
    tell(backend.stdout, ports.onLine),
    tell(backend.stderr, ports.onError),
  ])
  await new Promise((resolve) => backend.once('message', resolve).once('exit', resolve))
  if (hasEnded(backend)) {
    await told
    return undefined
  }
  let isStopping = false
  backend.once('exit', (_code, signal) => {
    // Ctrl-C goes to all processes of a terminal
    if (!isStopping && signal === null) ports.onEnd()
  })
  return {
    stop() {
      isStopping = true
      backend.kill()
    },
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode !== null || signalCode !== null

async function tell(stream: ChildProcess['stdout'], tellLine: (line: string) => void) {
  if (stream) for await (const line of createInterface(stream)) tellLine(line)
}
