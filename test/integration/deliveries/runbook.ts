/** What docs/deliveries.md tells operators to run where a partner gets nothing, and what it explains of that. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const page = readFileSync(join(import.meta.dirname, '../../../docs/deliveries.md'), 'utf8')

const section = page.slice(page.indexOf('## Why did my partner get nothing?'))

/** The commands, in their order, for a delivery in place of that of the page; without `wamp-gateway`. */
export const commands = (at: {
  readonly id: string
  readonly name: string
}): readonly (readonly string[])[] =>
  [...section.matchAll(/^\$ wamp-gateway (.+)$/gm)].map(([, command = '']) =>
    command.replace('com.example.hooks orders', `${at.id} ${at.name}`).split(' '),
  )

/** The lines of its table. */
export const meanings: readonly string[] = [...section.matchAll(/^\| (.+) \|$/gm)].map(
  ([, line = '']) => line,
)
