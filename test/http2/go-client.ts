/** The client in Go of these tests, built once a run. */
import { join } from 'node:path'
import { go } from '#test/support/go.ts'

/** Builds it in a folder; the path of the program. */
export function buildGoClient(folder: string): string {
  const program = join(folder, 'client')
  go(['build', '-o', program, join(import.meta.dirname, 'client.go')])
  return program
}
