/**
 * Before `npm start` and `npm test` in a clone: installs the dependencies where they are missing, or older than package-lock.json. Plain JavaScript
 * that needs nothing installed: it runs on Node 20.
 */
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')

/** When a file of the clone was last written, milliseconds since the epoch; undefined where there is none. */
const writtenAt = (name) => statSync(join(root, name), { throwIfNoEntry: false })?.mtimeMs

/** npm writes this file last: an installation that was interrupted has none. */
const installed = writtenAt('node_modules/.package-lock.json')
const locked = writtenAt('package-lock.json')

/** Why the dependencies are to be installed; undefined where they are there. */
const reason =
  installed === undefined
    ? 'the dependencies are not installed'
    : locked !== undefined && installed < locked
      ? 'the dependencies are older than package-lock.json'
      : undefined

if (reason !== undefined) {
  process.stderr.write(`${reason}: npm ci runs first\n`)
  // the Node of npm itself: the one in node_modules, which this may be, is removed
  const { npm_node_execpath: node = process.execPath, npm_execpath: npm } = process.env
  const command = npm === undefined ? ['npm', 'ci'] : [node, npm, 'ci']
  // standard output belongs to the command that follows
  const { status, error } = spawnSync(command[0], command.slice(1), {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) {
    process.stderr.write(`npm ci has failed${error ? `: ${error.message}` : ''}\n`)
    process.exitCode = status ?? 1
  }
}
