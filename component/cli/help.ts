/** The help texts, made from the table of commands. */
import type { Command, Option } from './command.ts'
import { commands, globalOptions, remoteOptions } from './commands.ts'

/** All options of a command, its own first. */
export const optionsOf = (command: Command): Readonly<Record<string, Option>> => ({
  ...command.options,
  ...(command.isRemote && remoteOptions),
  ...globalOptions,
})

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}\n`).join('')
}

const optionRows = (options: Readonly<Record<string, Option>>) =>
  Object.entries(options).map(([name, { value, description }]): [string, string] => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    description,
  ])

/** The help text of one command. */
export const helpOf = async (name: string, command: Command): Promise<string> => `${command.summary}

Usage: wamp-gateway ${name} ${command.usage}
Example: ${command.example}

Options:
${columns(optionRows(optionsOf(command)))}${(await command.details?.()) ?? ''}`

/** The help text of the program. */
export const help = (): string => `wamp-gateway: HTTP in front of a WAMP backend, without code

Usage: wamp-gateway COMMAND …

Commands:
${columns(Object.entries(commands).map(([name, { summary }]) => [name, summary]))}
"wamp-gateway COMMAND --help" prints the options of a command and an example; "wamp-gateway --version" the version.
Exit codes: 0 done, 1 findings, 64 wrong usage, 65 neither JSON nor YAML, 66 no such file, 69 gateway not reached,
70 a defect of this program, 75 try again later, 77 not permitted, 78 wrong configuration.
`
