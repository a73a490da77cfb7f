/** Earlier versions of the product, which scenarios measure beside this one, so that a loss is seen when it happens. */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './processes.ts'

const run = promisify(execFile)

/** An earlier version. */
interface FormerVersion {
  /** Its commit, or its folder. */
  readonly version: string
  /** What the report calls its candidate. */
  readonly name: string
  /**
   * The folder of a working copy, with its packages.
   * @throws Error of git or npm, such as in a clone without its history
   */
  readonly folder: () => Promise<string>
}

/** Written when a clone has all that it needs. */
const mark = 'bench-is-ready'

/** A clone in the folder for temporary files, which later runs use, too. */
async function clone(commit: string): Promise<string> {
  const folder = join(tmpdir(), `wamp-gateway-bench-${commit}`)
  if (existsSync(join(folder, mark))) return folder
  rmSync(folder, { recursive: true, force: true })
  await run('git', ['clone', '--quiet', '--no-checkout', root, folder])
  await run('git', ['-C', folder, 'checkout', '--quiet', commit])
  await run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund'], { cwd: folder })
  writeFileSync(join(folder, mark), '')
  return folder
}

const former = (version: string, folder: FormerVersion['folder']): FormerVersion => ({
  version,
  name: `ours, ${version}`,
  folder,
})

function versions(): readonly FormerVersion[] {
  const given = process.env.BENCH_FORMER
  if (given !== undefined) return [former(basename(given), async () => given)]
  const commits: readonly { readonly commit: string }[] = JSON.parse(
    readFileSync(new URL('./former.json', import.meta.url), 'utf8'),
  )
  return commits.map(({ commit }) => former(commit, () => clone(commit)))
}

/** The versions of former.json, or the one of the folder BENCH_FORMER. */
export const formerVersions = versions()

/** The candidate that targets compare with: the first of them. */
export const formerName = formerVersions[0]?.name ?? ''
