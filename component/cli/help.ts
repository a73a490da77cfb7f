/** The help texts and docs/cli.md, made from the table of commands. */
import { type Command, exitCode, type Option } from './command.ts'
import { commands, globalOptions, remoteOptions } from './commands.ts'

/** All options of a command, its own first. */
export const optionsOf = (command: Command): Readonly<Record<string, Option>> => ({
  ...command.options,
  ...(command.isRemote && remoteOptions),
  ...globalOptions,
  // `version` of a command is not that of the program
  ...command.options,
})

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `  ${first.padEnd(width)}  ${second}\n`).join('')
}

const optionRows = (options: Readonly<Record<string, Option>>) =>
  Object.entries(options).map(([name, { short, value, description }]): [string, string] => [
    [`--${name}`, ...(short === undefined ? [] : [`-${short}`])].join(', ') +
      (value === undefined ? '' : ` ${value}`),
    description,
  ])

/** What the process ends with, and when. */
const exitCodes: readonly (readonly [code: number, meaning: string])[] = [
  [exitCode.ok, 'done'],
  [exitCode.findings, 'findings'],
  [exitCode.usage, 'wrong usage'],
  [exitCode.data, 'neither JSON nor YAML'],
  [exitCode.noInput, 'no such file'],
  [exitCode.unavailable, 'gateway not reached'],
  [
    exitCode.software,
    'something could not be opened or joined, such as a port in use, or a defect of this program',
  ],
  [exitCode.tryAgain, 'try again later'],
  [exitCode.notPermitted, 'not permitted'],
  [exitCode.config, 'wrong configuration'],
]

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
Exit codes: ${exitCodes.map(([code, meaning]) => `${code} ${meaning}`).join(', ')}.
`

const optionTable = (options: Readonly<Record<string, Option>>): string => `| option | meaning |
|---|---|
${optionRows(options)
  .map(([name, description]) => `| \`${name}\` | ${description.replaceAll('|', '\\|')} |\n`)
  .join('')}`

const sectionOf = ([name, command]: [string, Command]): string => `## ${name}

${command.summary}

\`\`\`sh
wamp-gateway ${`${name} ${command.usage}`.trimEnd()}
${command.example}
\`\`\`
${Object.keys(command.options).length > 0 ? `\n${optionTable(command.options)}` : ''}`

/** docs/cli.md, whole. */
export const commandsPage = (): string => `# Command line

<!-- Printed from component/cli/commands.ts by \`npm run docs\`; a test fails when it is stale. -->

In a clone the command is \`npx wamp-gateway\`. \`wamp-gateway COMMAND --help\` prints what this page says of a command. Results and findings go to standard
output, errors to standard error. [gitops.md](gitops.md) tells how to keep API Specifications in Git, [editors.md](editors.md) how an editor checks them.

## Options of every command

${optionTable(globalOptions)}
\`github\` and \`sarif\` exist for commands whose result is findings in files: ${commandsWith('hasFindings')};
\`junit\` for those that run cases: ${commandsWith('hasCases')}.

## Options of commands that ask a running gateway

${optionTable(remoteOptions)}
These commands are ${commandsWith('isRemote')}.

## Exit codes

| code | meaning |
|---|---|
${exitCodes.map(([code, meaning]) => `| ${code} | ${meaning} |\n`).join('')}
${Object.entries(commands).map(sectionOf).join('\n')}`

const commandsWith = (trait: 'hasFindings' | 'hasCases' | 'isRemote'): string =>
  Object.entries(commands)
    .flatMap(([name, command]) => (command[trait] ? `[${name}](#${name})` : []))
    .join(', ')

if (import.meta.main) process.stdout.write(commandsPage())
