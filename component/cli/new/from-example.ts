/** The files of an example, with the commands of the folder that they are for. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { examples, type Files } from './files.ts'
import { versionOf } from './packages.ts'

export const exampleNames = ['hello', 'live', 'oauth2', 'oidc-login', 'tools'] as const

/** The files of the example, and a `package.json` with what its program imports. */
export function filesOfExample(from: (typeof exampleNames)[number]): Files {
  const source = join(examples, from)
  // a compiled program has its types beside it
  const found = readdirSync(source).filter((name) => !name.endsWith('.d.ts'))
  const read = (name: string) => readFileSync(join(source, name), 'utf8')
  const textOf = (name: string): string => {
    if (name === 'gateway.yaml') return configurationOf(read(name), from)
    return name === 'README.md' ? readmeOf(read(name), from, found) : read(name)
  }
  return new Map([
    ...found.map((name) => [name, textOf(name)] as const),
    ['package.json', manifestOf(found.filter(isProgram).map(read))],
  ])
}

/** Files are found from the folder itself; the comment at the top is about the example. */
const configurationOf = (text: string, from: string): string =>
  `# Every option: wamp-gateway start --help\n${text.replace(/^#.*\n/, '').replaceAll(`examples/${from}/`, '')}`

const isProgram = (name: string): boolean => /\.(js|ts)$/.test(name)

/** The example's README with the commands of this folder, and without links that lead out of it. */
function readmeOf(text: string, from: string, files: readonly string[]): string {
  const program = files.find(isProgram) ?? ''
  return text
    .replaceAll('npm start -- ', 'npx wamp-gateway start ')
    .replaceAll('npm start', 'npx wamp-gateway start')
    .replaceAll(`npm run example:${from}`, `npm install && node ${program}`)
    .replaceAll(`examples/${from}/`, '')
    .replaceAll(program.replace(/\.js$/, '.ts'), program)
    .replaceAll(/\[([^\]]*)\]\(\.\.[^)]*\)/g, '$1 of wamp-gateway')
}

/** Names the packages that the program of the example imports. */
function manifestOf(programs: readonly string[]): string {
  const imported = programs.flatMap((text) =>
    Array.from(text.matchAll(/^import .* from '([^'.]+)'/gm), ([, each]) => each ?? ''),
  )
  const packages = imported.filter((name) => !name.startsWith('node:'))
  const dependencies = Object.fromEntries(packages.map((name) => [name, versionOf(name)]))
  return `${JSON.stringify({ private: true, type: 'module', dependencies }, undefined, 2)}\n`
}
