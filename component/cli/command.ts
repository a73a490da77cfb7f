/** The parts of a command of `wamp-gateway`: its options, its result, and the exit codes of all. */
import type { Progress } from '#component/terminal/progress.ts'
import type { Finding } from './findings.ts'
import type { Suite } from './junit.ts'

/** What the process ends with (sysexits.h). */
export const exitCode = {
  ok: 0,
  /** What was asked about has findings, differs or was refused. */
  findings: 1,
  /** The command line is wrong. */
  usage: 64,
  /** A file is neither JSON nor YAML. */
  data: 65,
  /** A file does not exist or cannot be read. */
  noInput: 66,
  /** The gateway is not reached. */
  unavailable: 69,
  /** Something of the system could not be opened or joined, such as a port in use; or a defect of this program. */
  software: 70,
  /** The gateway refuses for now: it is stopping, overloaded or cut off. */
  tryAgain: 75,
  /** The credentials are missing, invalid, or do not suffice. */
  notPermitted: 77,
  /** The configuration is wrong. */
  config: 78,
} as const

export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** Ends a command: the message goes to standard error. */
export class CommandError extends Error {
  readonly code: ExitCode

  constructor(code: ExitCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'CommandError'
    this.code = code
  }
}

const formats = ['human', 'json', 'github', 'sarif', 'junit'] as const

export type Format = (typeof formats)[number]

/** `github` and `sarif` exist for commands whose result is findings in files, `junit` for those that run cases. */
export const formatsOf = ({ hasFindings, hasCases }: Command): readonly Format[] =>
  formats.slice(0, hasCases ? 5 : hasFindings ? 4 : 2)

/** An option of a command. */
export interface Option {
  readonly type: 'string' | 'boolean'
  /** What stands for the value in the help text. */
  readonly value?: string
  /** One letter that stands for the name, behind one hyphen. */
  readonly short?: string
  /** May be repeated. */
  readonly multiple?: true
  readonly description: string
}

/** A command line, read. */
export interface Invocation {
  readonly positionals: readonly string[]
  /** The value of an option; of a repeated one the last. */
  option(name: string): string | undefined
  /** All values of an option that may be repeated. */
  options(name: string): readonly string[]
  isSet(name: string): boolean
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Told during work on many files. */
  readonly progress: Progress
}

/** What a command found or did; printed by the format that was asked for. */
export interface Result {
  /** `--format json`: one value; its shape is stable. */
  readonly value: unknown
  /** `--format human`, without the findings; whole lines. */
  readonly text: string
  /** What is wrong in files, in their order. */
  readonly findings?: readonly Finding[]
  /** Findings for standard error, where standard output is a document. */
  readonly told?: readonly Finding[]
  /** Of a command that runs cases: `--format junit`. */
  readonly suites?: readonly Suite[]
  /** Absent: {@link exitCode.ok}. */
  readonly code?: ExitCode
}

/** One command: everything that its help text says, and its code. */
export interface Command {
  /** One sentence. */
  readonly summary: string
  /** What follows the name of the command. */
  readonly usage: string
  readonly example: string
  /** How many positional arguments it takes. */
  readonly takes: readonly [least: number, most: number]
  readonly options: Readonly<Record<string, Option>>
  /** It asks a running gateway, and takes the options that say which. */
  readonly isRemote?: true
  /** Its result is findings in files: `github` and `sarif` are among its formats. */
  readonly hasFindings?: true
  /** It runs cases: `junit` is among its formats, too. */
  readonly hasCases?: true
  /** The rest of its help text. */
  details?(): Promise<string>
  /** Imports the code: a command does not import what only others need. */
  load(): Promise<Run>
}

/**
 * The code of a command.
 * @returns undefined when the process goes on, as `start` does
 * @throws CommandError
 */
export type Run = (invocation: Invocation) => Promise<Result | undefined>
