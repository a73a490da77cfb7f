/** Commands whose first argument is a verb: `realm`, `user` and `key`. */
import { AdminClient } from '#component/cli/admin-client.ts'
import {
  CommandError,
  exitCode,
  type Invocation,
  type Result,
  type Run,
} from '#component/cli/command.ts'

/** What one verb does. */
interface Verb {
  /** What follows the verb, as the usage names it: `REALM`, `[USER]`, `FILE…`. */
  readonly takes: readonly string[]
  /** @throws CommandError */
  run(client: AdminClient, args: readonly string[], invocation: Invocation): Promise<Result>
}

/** The verbs of one command. */
export type Verbs = Readonly<Record<string, Verb>>

/** @throws CommandError for an unknown verb, and for too few or too many arguments */
export const runVerb =
  (verbs: Verbs): Run =>
  async (invocation) => {
    const [name = '', ...args] = invocation.positionals
    const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined
    if (verb === undefined) {
      const known = Object.keys(verbs).join(', ')
      throw new CommandError(exitCode.usage, `${name}: expected one of ${known}`)
    }
    const { takes } = verb
    const least = takes.filter((each) => !each.startsWith('[')).length
    const most = takes.some((each) => each.endsWith('…')) ? Number.POSITIVE_INFINITY : takes.length
    if (args.length < least || args.length > most) {
      const expected = ['expected', name, ...takes].join(' ')
      throw new CommandError(exitCode.usage, expected)
    }
    return verb.run(new AdminClient(invocation), args, invocation)
  }

/** Seconds since the epoch as a time of RFC 3339 in UTC. */
export const timeOfSeconds = (value: unknown): string =>
  typeof value === 'number' ? new Date(value * 1_000).toISOString().replace('.000Z', 'Z') : ''
