/** The entry point of the process: one command of `wamp-gateway`. */
import { systemClock } from '#component/clock.ts'
import { progressOn } from '#component/terminal/progress.ts'
import { exitCode } from './command.ts'
import { runCommandLine } from './command-line.ts'

const { stdout, stderr } = process
// the reader of a pipe may end first, as `head` does
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const code = await runCommandLine(process.argv.slice(2), {
  environment: process.env,
  isTerminal: stdout.isTTY === true,
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  progress: progressOn(stderr, systemClock),
}).catch((cause: unknown) => {
  stderr.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`)
  return exitCode.software
})
if (code !== undefined) {
  process.exitCode = code
  // what a failed start has opened must not keep the process alive
  setTimeout(() => process.exit(), 500).unref()
}
