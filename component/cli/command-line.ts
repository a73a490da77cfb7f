/** Reads a command line, runs the command, and prints its result. */
import { parseArgs } from 'node:util'
import { messageOf } from '#component/errors.ts'
import { suggest } from '#component/expression/suggest.ts'
import type { Progress } from '#component/terminal/progress.ts'
import { version } from '#component/version.ts'
import {
  type Command,
  CommandError,
  type ExitCode,
  exitCode,
  type Format,
  formatsOf,
  type Invocation,
} from './command.ts'
import { commands } from './commands.ts'
import { print, sentence } from './format.ts'
import { help, helpOf, optionsOf } from './help.ts'

/** The surroundings of a command. */
export interface Terminal {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
  /** To standard output. */
  out(text: string): void
  /** To standard error. */
  err(text: string): void
  /** A line on standard error, if that is a terminal. */
  readonly progress: Progress
}

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>

/**
 * Runs the command that the arguments name.
 * @returns undefined when the process goes on, as after `start`
 */
export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  const [name = '--help', ...rest] = args
  try {
    if (name === '--version') {
      terminal.out(`${version()}\n`)
      return exitCode.ok
    }
    if (name === '--help' || name === 'help') {
      terminal.out(help())
      // without a command the usage is wrong; a request for help is not
      return args.length === 0 ? exitCode.usage : exitCode.ok
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (command === undefined) throw unknownCommand(name)
    return await runCommand(name, command, rest, terminal)
  } catch (cause) {
    if (!(cause instanceof CommandError)) throw cause
    terminal.progress.clear()
    terminal.err(`${cause.message}\n`)
    return cause.code
  }
}

async function runCommand(
  name: string,
  command: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<ExitCode | undefined> {
  const { values, positionals } = readArguments(name, command, args)
  if (values.help === true || values.version === true) {
    terminal.out(values.help === true ? await helpOf(name, command) : `${version()}\n`)
    return exitCode.ok
  }
  checkCount(name, command, positionals)
  const format = formatOf(name, command, values.format, terminal.environment)
  const run = await command.load()
  const result = await run(invocationOf(values, positionals, terminal))
  if (result === undefined) return undefined
  const hasColor =
    terminal.isTerminal && values['no-color'] !== true && !terminal.environment.NO_COLOR
  terminal.err((result.told ?? []).map((each) => sentence(each, false)).join(''))
  terminal.out(print(result, { format, hasColor, isQuiet: values.quiet === true }))
  return result.code ?? exitCode.ok
}

function readArguments(
  name: string,
  command: Command,
  args: readonly string[],
): { readonly values: Values; readonly positionals: readonly string[] } {
  const options = Object.fromEntries(
    Object.entries(optionsOf(command)).map(([key, { type, short, multiple = false }]) => [
      key,
      { type, multiple, ...(short !== undefined && { short }) },
    ]),
  )
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (cause) {
    const message = messageOf(cause)
    throw wrongUsage(name, message.split('. ', 1)[0] ?? message)
  }
}

function checkCount(name: string, { takes, usage }: Command, found: readonly string[]): void {
  const [least, most] = takes
  if (found.length < least) throw wrongUsage(name, `expected ${usage}`)
  if (found.length > most) throw wrongUsage(name, `unexpected argument "${found[most]}"`)
}

function formatOf(
  name: string,
  command: Command,
  asked: Values[string],
  environment: Terminal['environment'],
): Format {
  if (asked === undefined)
    return command.hasFindings && environment.GITHUB_ACTIONS === 'true' ? 'github' : 'human'
  const allowed = formatsOf(command)
  const format = allowed.find((each) => each === asked)
  if (format === undefined)
    throw wrongUsage(name, `--format must be one of ${allowed.join(', ')}; found "${asked}"`)
  return format
}

const invocationOf = (
  values: Values,
  positionals: readonly string[],
  { environment, progress }: Terminal,
): Invocation => ({
  ...{ positionals, environment, progress },
  option(name) {
    const value = values[name]
    return typeof value === 'string' ? value : undefined
  },
  options(name) {
    const value = values[name]
    return Array.isArray(value) ? value.map(String) : []
  },
  isSet: (name) => values[name] === true,
})

const wrongUsage = (name: string, message: string) =>
  new CommandError(exitCode.usage, `${message}; see "wamp-gateway ${name} --help"`)

function unknownCommand(name: string): CommandError {
  const meant = suggest(name, Object.keys(commands))
  const hint = meant === undefined ? 'see "wamp-gateway --help"' : `did you mean "${meant}"?`
  return new CommandError(exitCode.usage, `there is no command "${name}"; ${hint}`)
}
