/** Why a gateway does not start, and what helps: one line for each problem. */
import { userInfo } from 'node:os'
import type { Config } from '#component/config/config.ts'
import { messageOf } from '#component/errors.ts'
import { isMap } from '#component/syntax/values.ts'
import { parseListen } from '#http/options.ts'

/** An error of the system, as Node describes it. */
interface Failure {
  readonly code: string
  readonly syscall?: string
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
  /** The option that the message names, or whose address it is. */
  readonly option: string
}

/** A kind of failure, and its text. Without `problem`, the message of the error stands. */
interface Row {
  readonly codes: readonly string[]
  readonly isMeant: (failure: Failure) => boolean
  readonly problem?: (failure: Failure) => string
  readonly hint: (failure: Failure) => string
}

const isListening = ({ syscall }: Failure) => syscall === 'listen'
const isOfFolder = ({ option }: Failure) => option === 'data_dir' || option === 'store.key'

const rows: readonly Row[] = [
  {
    codes: ['EADDRINUSE'],
    isMeant: isListening,
    problem: ({ address, port }) => `port ${port} is in use (${address}:${port})`,
    hint: ({ option }) =>
      `stop the other process, or choose another address: --set ${option}=HOST:PORT`,
  },
  {
    codes: ['EACCES'],
    isMeant: isListening,
    problem: ({ address, port }) =>
      `the user ${userInfo().username} may not listen on ${address}:${port}`,
    hint: ({ option }) =>
      `choose a port of 1024 or more (--set ${option}=HOST:PORT), or give the process the capability CAP_NET_BIND_SERVICE`,
  },
  {
    codes: ['EADDRNOTAVAIL'],
    isMeant: isListening,
    problem: ({ address }) => `this machine has no address ${address}`,
    hint: ({ option }) => `choose one that it has, or 0.0.0.0 for all: --set ${option}=HOST:PORT`,
  },
  {
    codes: ['ENOTFOUND', 'EAI_AGAIN'],
    isMeant: ({ syscall }) => syscall === 'getaddrinfo',
    problem: ({ hostname }) => `the host name ${hostname} is not known`,
    hint: () => 'correct the address to listen at, or write it as numbers',
  },
  {
    codes: ['EACCES', 'EPERM', 'EROFS'],
    isMeant: isOfFolder,
    hint: () =>
      `let the user ${userInfo().username} write there, or choose another folder: --set data_dir=FOLDER`,
  },
  {
    codes: ['EEXIST', 'ENOTDIR'],
    isMeant: isOfFolder,
    hint: () => 'it must be a folder: --set data_dir=FOLDER chooses another one',
  },
  {
    codes: ['ENOSPC', 'EDQUOT'],
    isMeant: isOfFolder,
    hint: () => 'free some space, or choose a folder on another disk: --set data_dir=FOLDER',
  },
  {
    codes: ['ENOENT'],
    isMeant: () => true,
    hint: () => `a path begins at the working folder, which is ${process.cwd()}`,
  },
  {
    codes: ['EACCES'],
    isMeant: () => true,
    hint: () => `let the user ${userInfo().username} read it`,
  },
]

/** What is wrong, and what helps if that is known. */
export interface Explanation {
  readonly problem: string
  readonly hint?: string
}

/**
 * Explains what a start has thrown.
 * @param config undefined when the configuration itself cannot be read
 */
export function explain(cause: unknown, config?: Config): Explanation {
  const message = messageOf(cause)
  const failure = failureOf(cause, message, config)
  const row =
    failure && rows.find((each) => each.codes.includes(failure.code) && each.isMeant(failure))
  if (!row) return { problem: message }
  return { problem: row.problem?.(failure) ?? message, hint: row.hint(failure) }
}

/** An explanation as one text. */
export const textOf = ({ problem, hint }: Explanation): string =>
  hint === undefined ? problem : `${problem}: ${hint}`

/** The error of the system that caused a failure; undefined for other failures. Of a worker's error only the message is known. */
function failureOf(cause: unknown, message: string, config?: Config): Failure | undefined {
  const isOfStore = message.startsWith('store sqlite:')
  const named = isOfStore ? 'data_dir' : /^option "([^"]+)"/.exec(message)?.[1]
  for (let error = cause; error instanceof Error; error = error.cause) {
    const { code, port } = error as NodeJS.ErrnoException & { readonly port?: unknown }
    if (code === undefined) continue
    const option =
      named ?? (config && typeof port === 'number' ? listenerAt(port, config) : undefined)
    return { ...error, code, option: option ?? 'gateway.listen' }
  }
  const code = /\b(E[A-Z]{3,}): /.exec(message)?.[1]
  return code === undefined ? undefined : { code, option: named ?? '' }
}

/** The option that has an address with this port. */
function listenerAt(port: number, config: Config): string | undefined {
  const options = ['gateway', 'admin', 'health', 'router'] as const
  const found = options.find((name) => {
    const section: unknown = config[name]
    const listen = isMap(section) ? config[name].listen : undefined
    return listen !== undefined && parseListen(listen).some((each) => each.port === port)
  })
  return found && `${found}.listen`
}
