/** `new`: a folder to begin with, for an API of one's own or from one of the examples. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError, exitCode, type Invocation, type Run } from '#component/cli/command.ts'
import type { Files } from './files.ts'
import { exampleNames, filesOfExample } from './from-example.ts'
import { filesOfOwnApi, languages, routers } from './own-api.ts'

/** What only its owner may read. */
const secret = 'cluster-key'

/** `new`: `{folder, files}`. */
export const create: Run = (invocation) => {
  const [folder = '.'] = invocation.positionals
  const made = filesOf(folder, invocation)
  writeAll(folder, made.files)
  const files = [...made.files.keys()].sort()
  const steps = folder === '.' ? made.next : [`cd ${folder}`, ...made.next]
  return Promise.resolve({
    value: { folder, files },
    text: `${files.map((name) => `${join(folder, name)}\n`).join('')}
Next (README.md has the rest):
${steps.map((step) => `  ${step}\n`).join('')}`,
  })
}

/** The files, and the commands to type next. @throws CommandError for a value that its option does not have, and for an option that `--from` excludes */
function filesOf(
  folder: string,
  invocation: Invocation,
): { readonly files: Files; readonly next: readonly string[] } {
  const from = invocation.option('from')
  if (from !== undefined) {
    for (const name of ['router', 'lang'])
      if (invocation.option(name) !== undefined)
        throw new CommandError(
          exitCode.usage,
          `--${name}: an example has its own; leave --from out`,
        )
    return {
      files: filesOfExample(oneOf(exampleNames, 'from', from)),
      next: [
        'npx wamp-gateway validate api-spec.json realm.json gateway.yaml',
        'npx wamp-gateway test api-spec.json',
        'cat README.md   # the commands that start it',
      ],
    }
  }
  const router = oneOf(routers, 'router', invocation.option('router') ?? 'embedded')
  const language = oneOf(languages, 'lang', invocation.option('lang') ?? 'js')
  return filesOfOwnApi(folder, router, language)
}

/** @throws CommandError for another value */
function oneOf<Value extends string>(
  values: readonly Value[],
  option: string,
  found: string,
): Value {
  const value = values.find((each) => each === found)
  if (value !== undefined) return value
  const message = `--${option}: expected one of ${values.join(', ')}; found "${found}"`
  throw new CommandError(exitCode.usage, message)
}

/** @throws CommandError for a folder that is not empty or cannot be written */
function writeAll(folder: string, files: Files): void {
  try {
    mkdirSync(folder, { recursive: true })
    if (readdirSync(folder).length > 0)
      throw new CommandError(exitCode.findings, `${folder} is not empty`)
    for (const [name, text] of files) {
      const file = join(folder, name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text, { mode: name === secret ? 0o600 : 0o666 })
    }
  } catch (cause) {
    if (cause instanceof CommandError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CommandError(exitCode.noInput, `${folder} cannot be written: ${reason}`, { cause })
  }
}
