/** `npm run pack`: makes what is published, a bundle with types, in dist/package, and its archive in dist. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundle } from './bundle.ts'
import { writeConsole } from './console.ts'
import { copyPackages } from './copied-packages.ts'
import { writeDocs } from './docs.ts'
import { licensesOf } from './licenses.ts'
import { besideBundle, publishedManifest } from './manifest.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const stage = join(dist, 'stage')
const compiled = join(dist, 'compiled')
const out = join(dist, 'package')

/** Compiled: the types of the first three are published, and the programs of the examples. */
const sources = ['component', 'http', 'procedures', 'examples']
/** Published as they are. */
const texts = ['bin', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md']
/** Read, or run, by their paths. */
const assets = [
  ...['component/node-version.mjs', 'component/short-start.mjs'],
  ...['component/store/sqlite/connection.mjs', 'component/store/sqlite/write-thread.mjs'],
]

const consolePage = 'http/console/page'

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const published = publishedManifest(manifest)

/**
 * Compiles a copy: the compiler rewrites relative imports, and takes `#component/x.ts` for what the `imports` of the manifest
 * beside it name, which are those of the published package.
 */
function compile(): void {
  mkdirSync(stage, { recursive: true })
  for (const folder of sources) cpSync(join(root, folder), join(stage, folder), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'))
  write(stage, 'package.json', published)
  write(stage, 'tsconfig.json', {
    extends: '../../tsconfig.json',
    compilerOptions: {
      noEmit: false,
      // for the types of what TypeScript imports
      allowJs: true,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: '.',
      outDir: '../compiled',
      types: ['node'],
    },
    include: sources.map((folder) => `${folder}/**/*.ts`),
  })
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', stage])
  rmSync(stage, { recursive: true })
}

/** Copies the types of a module, and those that it imports, into the package. @param copied the paths of those that are there */
function copyTypes(path: string, copied: Set<string> = new Set()): void {
  if (copied.has(path)) return
  copied.add(path)
  const text = readFileSync(join(compiled, path), 'utf8')
  mkdirSync(dirname(join(out, path)), { recursive: true })
  writeFileSync(join(out, path), text)
  for (const [, own, near] of text.matchAll(/from '(?:#([^']+)|(\.[^']+))\.[jt]s'/g))
    copyTypes(`${own ?? join(dirname(path), near ?? '')}.d.ts`, copied)
}

/** Copies the examples: their programs compiled, their other files as they are. */
function copyExamples(): void {
  const isText = (path: string) => !path.endsWith('.ts') && !path.endsWith('tsconfig.json')
  const isProgram = (path: string) => !path.endsWith('.d.ts')
  cpSync(join(root, 'examples'), join(out, 'examples'), { recursive: true, filter: isText })
  cpSync(join(compiled, 'examples'), join(out, 'examples'), { recursive: true, filter: isProgram })
}

function write(folder: string, name: string, value: unknown): void {
  writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`)
}

function run(command: string, args: readonly string[], cwd = root): string {
  return execFileSync(command, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

rmSync(dist, { recursive: true, force: true })
compile()
copyTypes('component/embed.d.ts')
copyExamples()
rmSync(compiled, { recursive: true })
for (const name of [...texts, ...assets])
  cpSync(join(root, name), join(out, name), { recursive: true })
write(out, 'package.json', published)
await writeConsole(join(root, consolePage), join(out, consolePage))
const within = await bundle(root, out, besideBundle)
writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licensesOf(within))
mkdirSync(join(out, 'schemas'))
for (const kind of ['api-spec', 'realm', 'config']) {
  const schema = run(process.execPath, [join(root, 'component/cli/main.ts'), 'schema', kind])
  writeFileSync(join(out, 'schemas', `${kind}.schema.json`), schema)
}
copyPackages(root, out, published.bundleDependencies)
writeDocs(root, out)
const [packed] = JSON.parse(
  run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', dist], out),
)
process.stdout.write(
  `dist/${packed.filename} ${Math.round(packed.size / 1024)} kB, ${packed.entryCount} files\n`,
)
