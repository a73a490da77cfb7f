/** Prints docs/layout.md: every source file with the sentence it opens with. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The first sentence of a file; empty when it has none. */
function openingSentence(file: string): string {
  const text = readFileSync(join(root, file), 'utf8')
  const end = text.indexOf('*/')
  if (!text.startsWith('/**') || end < 0) return ''
  return text
    .slice(3, end)
    .split('\n')
    .map((line) => line.trim().replace(/^\* ?/, ''))
    .join(' ')
    .trim()
}

/** The source files of the project: path and opening sentence. */
export const layout: readonly (readonly [file: string, sentence: string])[] = [
  'component',
  'procedures',
  'http',
].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((name) => name.endsWith('.ts') || name.endsWith('.mjs'))
    .sort()
    .map((name) => [name, openingSentence(name)] as const),
)

/** docs/layout.md, whole. */
export function layoutPage(): string {
  const rows = layout.map(
    ([file, sentence]) => `| \`${file}\` | ${sentence.replaceAll('|', '\\|')} |`,
  )
  return `# Layout

<!-- Printed by \`npm run docs\` from the first sentence of each file; a test fails when it is stale. -->

| file | what it is for |
|---|---|
${rows.join('\n')}
`
}

if (import.meta.main) process.stdout.write(layoutPage())
