/** A command line run in this process, with what it has printed. */
import { runCommandLine } from '#component/cli/command-line.ts'
import { noProgress, type Progress } from '#component/terminal/progress.ts'

/** What a command came to; `code` is undefined while it goes on. */
export interface Ran {
  readonly code: number | undefined
  readonly out: string
  readonly err: string
}

/** Runs `wamp-gateway` with these arguments. */
export async function runCli(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  isTerminal = false,
  progress: Progress = noProgress,
): Promise<Ran> {
  let out = ''
  let err = ''
  const code = await runCommandLine(args, {
    environment,
    isTerminal,
    progress,
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
  })
  return { code, out, err }
}
