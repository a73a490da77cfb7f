/** An earlier version of the product, which scenarios measure beside this one, so that a loss is seen when it happens. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './processes.ts'

const run = promisify(execFile)

/** The commit that former.json names. */
export const { commit } = JSON.parse(
  readFileSync(new URL('./former.json', import.meta.url), 'utf8'),
) as { readonly commit: string }

/** Written when a clone has all that it needs. */
const mark = 'bench-is-ready'

let made: Promise<string> | undefined

/**
 * The folder of the earlier version, with its packages: that of BENCH_FORMER, or a clone of {@link commit} in the folder for temporary
 * files, which later runs use, too.
 * @throws Error of git or npm, such as in a clone without its history
 */
export async function formerFolder(): Promise<string> {
  made ??=
    process.env.BENCH_FORMER === undefined ? clone() : Promise.resolve(process.env.BENCH_FORMER)
  return await made
}

async function clone(): Promise<string> {
  const folder = join(tmpdir(), `wamp-gateway-bench-${commit}`)
  if (existsSync(join(folder, mark))) return folder
  rmSync(folder, { recursive: true, force: true })
  await run('git', ['clone', '--quiet', '--no-checkout', root, folder])
  await run('git', ['-C', folder, 'checkout', '--quiet', commit])
  await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder })
  writeFileSync(join(folder, mark), '')
  return folder
}
