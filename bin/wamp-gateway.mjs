#!/usr/bin/env node
/** The command `wamp-gateway`: finds a Node that can run the gateway and becomes it. Plain JavaScript: an old Node must be able to read it. */
import { existsSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const sources = join(root, 'component/cli/main.ts')
/** A clone runs its sources on the Node that `npm ci` installs; an installed package has neither. */
const isClone = existsSync(sources)
const ownNode = join(root, `node_modules/node-linux-${process.arch}/bin/node`)
const node = isClone && existsSync(ownNode) ? ownNode : process.execPath
const program = isClone ? sources : join(root, 'component/cli/main.js')

const options = [
  '--import',
  new URL('../component/node-version.mjs', import.meta.url).href,
  '--disable-proto=delete',
  // V8 may take objects of requests for long-lived after a burst: docs/design/performance.md, "What was tried"
  '--no-allocation-site-pretenuring',
  // V8 may let the heap grow threefold before it collects what long messages have left: the same page
  '--heap-growing-percent=100',
  // a request passes many small functions, of which V8 inlines few: the same page
  '--max-inlined-bytecode-size=1000',
  '--max-inlined-bytecode-size-cumulative=3000',
]
const argv = [...process.execArgv, ...options, program, ...process.argv.slice(2)]

/** Read when a process starts, so that they are set before it: docs/operations.md, "Stopping". */
const environment = {
  UV_THREADPOOL_SIZE: '16',
  MALLOC_MMAP_THRESHOLD_: '1048576',
  MALLOC_TRIM_THRESHOLD_: '16777216',
  ...process.env,
}

if (process.execve && process.platform !== 'win32') {
  // the gateway takes the place of this process: signals reach it, and its exit code is the command's
  process.removeAllListeners('warning')
  process.execve(node, [node, ...argv], environment)
}

const { spawn } = await import('node:child_process')
const child = spawn(node, argv, { stdio: 'inherit', env: environment })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'])
  process.on(signal, () => child.kill(signal))
child.on('error', (error) => {
  process.stderr.write(`${node} cannot be started: ${error.message}\n`)
  process.exitCode = 70
})
child.on('exit', (code, signal) => {
  process.exitCode = signal ? 128 + constants.signals[signal] : (code ?? 70)
})
