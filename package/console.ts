/** Writes the console of the published package: its modules as one minified script, the other files without comments and indents. */
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/**
 * Writes the files that browsers load into a folder. Preact is not among them: the server takes it from its package.
 * @param page the folder of the console's sources
 */
export async function writeConsole(page: string, out: string): Promise<void> {
  const build = await rolldown({
    input: join(page, 'main.js'),
    platform: 'browser',
    external: (id) => id.endsWith('/preact.js'),
  })
  await build.write({ dir: out, format: 'esm', minify: true, entryFileNames: 'main.js' })
  await build.close()
  mkdirSync(out, { recursive: true })
  for (const name of globSync('*.{css,html,svg}', { cwd: page }))
    writeFileSync(join(out, name), shortened(readFileSync(join(page, name), 'utf8')))
}

/** CSS, HTML or SVG without comments and indents. Its texts hold none. */
const shortened = (text: string): string =>
  text
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trimStart()
