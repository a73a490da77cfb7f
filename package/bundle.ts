/** Bundles the program with its dependencies for the published package: few files start faster than two thousand. */
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import standalone from 'ajv/dist/standalone/index.js'
import { type OutputChunk, type Plugin, rolldown } from 'rolldown'
import { compilerOf } from '#component/config/config-check.ts'
import { configSchema } from '#component/config/config-schema.ts'

/** The modules that are started or imported by their paths in the package. */
const entries = ['component/cli/main', 'component/embed', 'component/workers/worker']

/** Left out, beside what is installed with the package: native code, and what its users may install. */
const absent = [
  ...['bufferutil', 'utf-8-validate', 'cbor-extract', 'msgpackr-extract', 'pg-native'],
  ...['swagger-ui-dist', '@opentelemetry/exporter-trace-otlp-proto'],
]

/**
 * Imports of Node's own modules as calls. An import would evaluate each member of a module: of `node:http` the one that loads all of
 * fetch, for a quarter of a start.
 */
const builtinsByCall: Plugin = {
  name: 'builtins-by-call',
  renderChunk: (code) => ({
    code: code.replace(
      /^import (?:(\w[\w$]*|\* as \w[\w$]*)(?:, )?)?(?:\{([^}]*)\})? ?from "([^"]+)";$/gm,
      (text, whole: string | undefined, members: string | undefined, name: string) => {
        if (!isBuiltin(name)) return text
        const module = `process.getBuiltinModule("${name}")`
        const named = members?.replaceAll(' as ', ': ')
        return [
          whole && `const ${whole.replace('* as ', '')} = ${module};`,
          named && `const {${named}} = ${module};`,
        ]
          .filter((each) => each !== undefined)
          .join(' ')
      },
    ),
    map: null,
  }),
}

/** The check of the configuration as code: to compile it would be a tenth of a start. */
const compiledCheck: Plugin = {
  name: 'compiled-check',
  load(id) {
    if (!id.endsWith('/component/config/config-check.ts')) return null
    const compiler = compilerOf({ source: true, esm: true }).addSchema(configSchema, 'check')
    return { code: standalone.default(compiler, { check: 'check' }), moduleType: 'js' }
  },
}

/** A package whose code is in the bundle. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  readonly license: string
  /** Where it is installed. */
  readonly folder: string
}

/**
 * Writes the entries into `out` at the paths of their sources, the code that they share or load when it is needed into `chunks`,
 * each with its source map.
 * @param beside the packages that are installed beside the bundle
 * @returns the packages whose code is in it, by name
 */
export async function bundle(
  root: string,
  out: string,
  beside: readonly string[],
): Promise<readonly BundledPackage[]> {
  const outside = [...beside, ...absent]
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map((name) => [name, join(root, `${name}.ts`)])),
    platform: 'node',
    plugins: [compiledCheck, builtinsByCall],
    external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
    // programs that print pages of the docs are not among the entries
    transform: { define: { 'import.meta.main': 'false' } },
    onLog(level, log) {
      // depd and autobahn evaluate code in functions that the gateway does not call
      if (level === 'warn' && log.code !== 'EVAL') throw new Error(log.message)
    },
  })
  const { output } = await build.write({
    dir: out,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // V8 holds a module with one character beyond Latin-1 in two bytes a character
    charset: 'ascii',
    // without comments and indents; functions and classes keep their names, which stack traces show
    minify: { compress: false, mangle: { keepNames: { function: true, class: true } } },
  })
  await build.close()
  return packagesOf(output.filter((each) => each.type === 'chunk'))
}

/** The packages that modules of the chunks belong to. */
function packagesOf(chunks: readonly OutputChunk[]): readonly BundledPackage[] {
  const folders = new Set(
    chunks
      .flatMap(({ moduleIds }) => moduleIds)
      .flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
  )
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      ) as Omit<BundledPackage, 'folder'>
      return { name, version, license, folder }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
