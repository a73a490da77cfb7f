/** `npm run check`: what reads the sources without running them, all at once; what each has printed comes as one piece. */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'

const checks = [
  'biome ci .',
  'tsc',
  'tsc -p bench/tsconfig.json',
  'tsc -p http/console/page',
  'knip',
] as const

/** Runs a command of the project; resolves with whether it has found nothing. */
async function holds(command: string): Promise<boolean> {
  const [program = '', ...args] = command.split(' ')
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? 1))
  })
  const [code, ...said] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  const told = said.join('').trimEnd()
  if (code !== 0 || told !== '') process.stdout.write(`── ${command}\n${told}\n`)
  return code === 0
}

const results = await Promise.all(checks.map(holds))
process.exitCode = results.every(Boolean) ? 0 : 1
