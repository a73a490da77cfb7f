/** `npm run pack`: makes what is published, compiled JavaScript with types, in dist/package, and its archive in dist. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundle } from './bundle.ts'
import { publishedManifest } from './manifest.ts'

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const stage = join(dist, 'stage')
const out = join(dist, 'package')

/** Compiled to JavaScript. */
const sources = ['component', 'http', 'procedures', 'examples']
/** Published as they are. */
const texts = ['bin', 'README.md', 'CHANGELOG.md', 'LICENSE', 'SECURITY.md']

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const published = publishedManifest(manifest)

/**
 * Compiles a copy: the compiler rewrites relative imports, and takes `#component/x.ts` for what the `imports` of the manifest
 * beside it name, which are those of the published package.
 */
function compile(): void {
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(stage, { recursive: true })
  for (const folder of sources) cpSync(join(root, folder), join(stage, folder), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'))
  write(stage, 'package.json', published)
  write(stage, 'tsconfig.json', {
    extends: '../../tsconfig.json',
    compilerOptions: {
      noEmit: false,
      // for the types of what TypeScript imports; the other files, such as those of the console, are published as they are
      allowJs: true,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      rootDir: '.',
      outDir: '../package',
      types: ['node'],
    },
    include: sources.map((folder) => `${folder}/**/*.ts`),
  })
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', stage])
  const isText = (path: string) => !path.endsWith('.ts') && !path.endsWith('tsconfig.json')
  for (const folder of sources)
    cpSync(join(stage, folder), join(out, folder), { recursive: true, filter: isText })
  rmSync(stage, { recursive: true })
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

compile()
for (const name of texts) cpSync(join(root, name), join(out, name), { recursive: true })
write(out, 'package.json', published)
mkdirSync(join(out, 'schemas'))
for (const kind of ['api-spec', 'realm', 'config']) {
  const schema = run(process.execPath, [join(root, 'component/cli/main.ts'), 'schema', kind])
  writeFileSync(join(out, 'schemas', `${kind}.schema.json`), schema)
}
bundle(root, out, published.bundleDependencies)
const [packed] = JSON.parse(
  run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', dist], out),
)
process.stdout.write(
  `dist/${packed.filename} ${Math.round(packed.size / 1024)} kB, ${packed.entryCount} files\n`,
)
