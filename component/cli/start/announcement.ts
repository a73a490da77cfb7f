/** What `start` tells of a gateway that runs: where it is, and that it is ready; to people in lines, to programs in the log. */
import type { Clock } from '#component/clock.ts'
import type { ProcessLog } from '#component/log.ts'
import type { RunningGateway } from '#component/running-gateway.ts'

/** A running gateway, and those who are told. */
export interface Announcement {
  readonly gateway: RunningGateway
  readonly processLog: ProcessLog
  readonly clock: Clock
  /** A command to try. Absent outside the demonstration: no command works with every configuration. */
  readonly command?: string | undefined
  /** Whether the gateway is on its way out. */
  isStopping(): boolean
  /** To standard output. */
  out(text: string): void
}

/** Milliseconds between two looks at whether the gateway is ready. */
const interval = 100

/** Looks before people are told that it takes longer. */
const patience = 20

/** Tells the addresses, then waits until the gateway is ready and tells that. */
export async function announce(announcement: Announcement): Promise<void> {
  const { gateway, processLog, command, out } = announcement
  const { isForPeople } = processLog
  const urls = {
    gateway: gateway.gatewayUrls,
    admin: gateway.adminUrls,
    health: gateway.healthUrls,
    router: [gateway.routerUrl],
  }
  const line = (name: string, text: string) => out(`${name.padEnd(8)} ${text}\n`)
  // scripts that have turned the log off read the addresses here
  if (isForPeople || !processLog.log.isLevelEnabled('info')) {
    for (const [name, list] of Object.entries(urls)) if (list.length > 0) line(name, list.join(' '))
  }
  const [page = ''] = gateway.adminUrls
  const onLate = () => {
    if (isForPeople) line('waiting', `not ready yet: ${page}/ready says why`)
    processLog.hasStarted()
  }
  if (!(await isReady(announcement, onLate))) return
  const { apiSpecs, refusedFiles } = gateway.contents()
  const hint = apiSpecs === 0 ? 'nothing is loaded yet: wamp-gateway load FILE' : undefined
  const { pid } = process
  if (!isForPeople) {
    const loaded = { api_specs: apiSpecs, refused_files: refusedFiles }
    gateway.log.info({ pid, ...urls, router: gateway.routerUrl, ...loaded, command, hint }, 'ready')
    return
  }
  if (command !== undefined) line('try', command)
  const parts = [
    `pid ${pid}`,
    refusedFiles > 0 ? `${refusedFiles} ${refusedFiles === 1 ? 'file' : 'files'} refused` : [],
    hint ?? `what is loaded, in a browser: ${page}/`,
    command === undefined ? [] : 'more to try: README.md, "A tour"',
    'Ctrl-C ends it',
  ]
  line('ready', parts.flat().join('; '))
  processLog.hasStarted()
}

/** Resolves with true when the gateway is ready, with false when it is stopping before. */
async function isReady(
  { gateway, clock, isStopping }: Announcement,
  onLate: () => void,
): Promise<boolean> {
  for (let looks = 0; !gateway.isReady(); looks++) {
    if (isStopping()) return false
    if (looks === patience) onLate()
    await new Promise<void>((resolve) => clock.after(interval, resolve))
  }
  return true
}
