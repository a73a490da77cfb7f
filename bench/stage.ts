/** A scenario being set up: what was started for it, who is compared, and who could not be. */
import { createServer } from 'node:net'
import type { Ask } from './asks.ts'
import { formerVersions } from './former.ts'
import { type Gateway, gatewayCommand, type Paths, prepareGateway } from './gateway.ts'
import type { CallLoad, HttpLoad } from './load.ts'
import { type Command, Process } from './processes.ts'
import type { StreamLoad } from './stream-group.ts'

/** What a candidate is asked, round after round. */
type Load = Omit<HttpLoad, 'seconds'> | Omit<CallLoad, 'seconds'> | Omit<StreamLoad, 'seconds'>

/** One of those that are compared. */
export interface Candidate {
  readonly name: string
  /** Whose CPU time counts. */
  readonly process: Process
  readonly load: Load
  /** The name of the candidate that is its 1.0; default: the first of the scenario. */
  readonly against?: string
  /** How many cores it can use; default 1. */
  readonly cores?: number
  /** Something else that goes on while it is asked; what it gives back ends that, and says how much of it failed. */
  readonly meanwhile?: () => () => Promise<number>
}

/** A candidate that cannot be measured here. */
export interface Missing {
  readonly name: string
  /** Why, and what would help. */
  readonly why: string
}

/** An earlier version of the product that runs. */
interface Former {
  readonly version: string
  /** Of its candidate. */
  readonly name: string
  readonly gateway: Gateway
}

/** Connections of a load, unless a scenario is about them. */
export const defaultConnections = 64

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}

/** Starts processes and keeps them, so that all are stopped, also after a failure on the way. */
export class Stage {
  readonly processes: Process[] = []
  readonly candidates: Candidate[] = []
  readonly missing: Missing[] = []
  readonly #closings: (() => void)[] = []

  start(command: Command): Process {
    const process = new Process(command)
    this.processes.push(process)
    return process
  }

  /** Starts a program of bench/peers, which says when it listens. */
  async peer(
    name: string,
    file: string,
    ...args: string[]
  ): Promise<{ process: Process; url: string }> {
    const process = this.start({ name, args: () => [`bench/peers/${file}`, ...args] })
    const port = await process.says(/^listening (\d+)$/m)
    return { process, url: `http://127.0.0.1:${port}` }
  }

  /**
   * Starts a gateway with one API.
   * @param settings as `--set` takes them
   * @param folder of another version of the product
   */
  async gateway(
    name: string,
    paths: Paths,
    settings: Readonly<Record<string, string>> = {},
    folder?: string,
  ): Promise<Gateway> {
    return await prepareGateway(this.start(gatewayCommand(name, settings, folder)), paths)
  }

  /**
   * Starts the earlier versions of the product with the same API. One that cannot be made or does not take the API is left out: the report says why.
   * @param settings as `--set` takes them
   */
  async formers(
    paths: Paths,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<readonly Former[]> {
    const started: Former[] = []
    for (const { version, name, folder } of formerVersions) {
      try {
        const gateway = await this.gateway(name, paths, settings, await folder())
        started.push({ version, name, gateway })
      } catch (cause) {
        const [why = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n')
        this.missing.push({ name, why })
      }
    }
    return started
  }

  /** Compares what answers HTTP. */
  compare(
    name: string,
    { process, url }: { readonly process: Process; readonly url: string },
    asks: readonly Ask[],
    more: Partial<Candidate> & { readonly connections?: number } = {},
  ): void {
    const { connections = defaultConnections, ...rest } = more
    this.candidates.push({ name, process, load: { url, asks, connections }, ...rest })
  }

  /** Compares a peer, unless it is not installed: the report says so. @param absent what would help, as {@link absentProgram} tells */
  async comparePeer(
    name: string,
    absent: string | undefined,
    start: () => Promise<{ readonly process: Process; readonly url: string }>,
    asks: readonly Ask[],
  ): Promise<void> {
    if (absent === undefined) this.compare(name, await start(), asks)
    else this.missing.push({ name, why: absent })
  }

  /** Closes this, too, before the processes are stopped. */
  closing(close: () => void): void {
    this.#closings.push(close)
  }

  async stop(): Promise<void> {
    for (const close of this.#closings) close()
    await Promise.all(this.processes.map((process) => process.stop()))
  }
}

/** Candidates that are measured together, in interleaved rounds. */
export interface Scenario {
  /** One line: what is asked, and what differs. */
  readonly about: string
  /** Is the load half of what the slower of a candidate and its baseline can? Default: as much as they can. */
  readonly isHalfLoad?: boolean
  /** Starts the candidates, the baseline first. */
  readonly build: (stage: Stage) => Promise<void>
}

/** A quantity that is no rate of answers, once a round. */
export interface Figure {
  readonly name: string
  readonly unit: string
  readonly values: readonly number[]
}

/** Something that is tried again and again, and measured in its own way. */
export interface Trial {
  readonly about: string
  readonly attempt: (stage: Stage, rounds: number) => Promise<readonly Figure[]>
}
