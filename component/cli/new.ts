/** `new`: a folder to begin with, made from one of the examples. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, exitCode, type Run } from './command.ts'

/** Beside `component`, in a clone and in the published package alike. */
const examples = join(import.meta.dirname, '../../examples')

const names = ['hello', 'live', 'oauth2', 'oidc-login', 'tools']

/** `new`: `{folder, files}`. */
export const create: Run = (invocation) => {
  const [folder = '.'] = invocation.positionals
  const from = invocation.option('from') ?? 'hello'
  if (!names.includes(from)) {
    const message = `--from: expected one of ${names.join(', ')}; found "${from}"`
    throw new CommandError(exitCode.usage, message)
  }
  const files = makeFolder(folder, from)
  const where = folder === '.' ? '' : `cd ${folder}\n  `
  return Promise.resolve({
    value: { folder, files },
    text: `${files.map((name) => `${join(folder, name)}\n`).join('')}
Next (README.md has the rest):
  ${where}npx wamp-gateway validate api-spec.json realm.json gateway.yaml
  npx wamp-gateway test api-spec.json
  npx wamp-gateway start --config gateway.yaml
`,
  })
}

/** The names of the files. @throws CommandError for a folder that is not empty or cannot be written */
function makeFolder(folder: string, from: string): readonly string[] {
  const source = join(examples, from)
  // a compiled program has its types beside it
  const found = readdirSync(source).filter((name) => !name.endsWith('.d.ts'))
  try {
    mkdirSync(folder, { recursive: true })
    if (readdirSync(folder).length > 0)
      throw new CommandError(exitCode.findings, `${folder} is not empty`)
    for (const name of found) {
      const file = join(folder, name)
      if (name === 'gateway.yaml') writeFileSync(file, configurationOf(source, from))
      else if (name === 'README.md') writeFileSync(file, readmeOf(source, from, found))
      else copyFileSync(join(source, name), file)
    }
    writeFileSync(join(folder, 'package.json'), manifestOf(source, found))
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(exitCode.noInput, `${folder} cannot be written: ${reason}`, { cause })
  }
  return [...found, 'package.json'].sort()
}

/** Files are found from the folder itself; the comment at the top is about the example. */
const configurationOf = (source: string, from: string): string => {
  const text = readFileSync(join(source, 'gateway.yaml'), 'utf8')
  const rest = text.replace(/^#.*\n/, '').replaceAll(`examples/${from}/`, '')
  return `# Every option: wamp-gateway start --help\n${rest}`
}

const isProgram = (name: string): boolean => /\.(js|ts)$/.test(name)

/** The example's README with the commands of this folder, and without links that lead out of it. */
function readmeOf(source: string, from: string, files: readonly string[]): string {
  const program = files.find(isProgram) ?? ''
  return readFileSync(join(source, 'README.md'), 'utf8')
    .replaceAll('npm start -- ', 'npx wamp-gateway start ')
    .replaceAll('npm start', 'npx wamp-gateway start')
    .replaceAll(`npm run example:${from}`, `npm install && node ${program}`)
    .replaceAll(`examples/${from}/`, '')
    .replaceAll(program.replace(/\.js$/, '.ts'), program)
    .replaceAll(/\[([^\]]*)\]\(\.\.[^)]*\)/g, '$1 of wamp-gateway')
}

/** Names the packages that the program of the example imports, in the versions that it is tested with. */
function manifestOf(source: string, files: readonly string[]): string {
  const own = JSON.parse(readFileSync(join(examples, '../package.json'), 'utf8'))
  const versions: Readonly<Record<string, string>> = { ...own.devDependencies, ...own.dependencies }
  const imported = files.filter(isProgram).flatMap((name) => {
    const text = readFileSync(join(source, name), 'utf8')
    return Array.from(text.matchAll(/^import .* from '([^'.]+)'/gm), ([, each]) => each ?? '')
  })
  const packages = imported.filter((name) => !name.startsWith('node:'))
  const dependencies = Object.fromEntries(packages.map((name) => [name, versions[name] ?? '*']))
  return `${JSON.stringify({ private: true, type: 'module', dependencies }, undefined, 2)}\n`
}
