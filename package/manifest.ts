/** The manifest of the published package, made from that of the repository. */

/** What is read of the manifest of the repository. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly peerDependencies: Readonly<Record<string, string>>
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>
  readonly [member: string]: unknown
}

/** The folders that import each other as `#folder/…`. */
const folders = ['component', 'http', 'procedures']

/** Read as files, so that they are not in the bundle. */
export const besideBundle = ['htm', 'idn-hostname']

/** What is installed with the package: beside these the client library of the examples, and the package that the types name. */
const installed = [...besideBundle, 'autobahn', 'pino']

/**
 * Dependencies whose own dependencies have install scripts or compile native code: they are published inside the package,
 * without these, because `allowScripts` and `overrides` of a package do not hold for those who install it.
 */
const copied = ['autobahn']

/** Has the files of the docs page. Who wants that page installs it: npm would install an optional dependency, and run the install script that comes with it. */
const docsPage = 'swagger-ui-dist'

/** The manifest: no Node of its own, which npm would link into the `.bin` of everyone who installs it. */
export const publishedManifest = ({
  name,
  version,
  description,
  license,
  dependencies,
  optionalDependencies,
  peerDependencies,
  peerDependenciesMeta,
}: Manifest) => ({
  name,
  version,
  description,
  license,
  keywords: ['wamp', 'api-gateway', 'http', 'crossbar', 'openid-connect', 'oauth2'],
  type: 'module',
  engines: { node: '>=24.15' },
  bin: { 'wamp-gateway': 'bin/wamp-gateway.mjs' },
  exports: {
    '.': { types: './component/embed.d.ts', default: './component/embed.js' },
    './api-spec.schema.json': './schemas/api-spec.schema.json',
    './realm.schema.json': './schemas/realm.schema.json',
    './config.schema.json': './schemas/config.schema.json',
    './package.json': './package.json',
  },
  imports: Object.fromEntries(folders.map((folder) => [`#${folder}/*.ts`, `./${folder}/*.js`])),
  dependencies: Object.fromEntries(installed.map((name) => [name, dependencies[name]])),
  peerDependencies: { ...peerDependencies, [docsPage]: `^${optionalDependencies[docsPage]}` },
  peerDependenciesMeta: { ...peerDependenciesMeta, [docsPage]: { optional: true } },
  bundleDependencies: copied,
})
