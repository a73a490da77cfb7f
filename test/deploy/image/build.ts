/** The second stage of deploy/Dockerfile, built by buildah without a registry: from nothing, the Node of the lock file and its libraries. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { debianProgram, deployFolder } from '#test/deploy/programs.ts'

const root = join(deployFolder, '..')
const node = join(root, `node_modules/node-linux-${process.arch}/bin/node`)

const run = (command: string, words: readonly string[], cwd = root): string =>
  execFileSync(command, words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })

/** Copies what the first stage puts beside the package. */
function copyBeside(app: string): void {
  const stage = readFileSync(join(deployFolder, 'Dockerfile'), 'utf8')
  for (const [path] of stage.matchAll(/(?<=\s)node_modules\/\S+/g))
    cpSync(join(root, path), join(app, path), { recursive: true, force: false })
}

/** Writes what the first stage makes, at the paths at which the second one looks. */
function firstStage(context: string): void {
  run('npm', ['run', '--silent', 'pack'])
  cpSync(join(root, 'dist/package'), join(context, 'app'), { recursive: true })
  copyBeside(join(context, 'app'))
  mkdirSync(join(context, 'app/cache'), { mode: 0o700 })
  mkdirSync(join(context, 'runtime/data'), { recursive: true })
  for (const [library] of run('ldd', [node]).matchAll(/(?<=\s)\/\S+/g)) {
    const target = join(context, 'runtime', library)
    mkdirSync(dirname(target), { recursive: true })
    cpSync(realpathSync(library), target)
  }
  mkdirSync(join(context, 'usr/local/bin'), { recursive: true })
  cpSync(node, join(context, 'usr/local/bin/node'))
  mkdirSync(join(context, 'deploy'))
  cpSync(join(deployFolder, 'gateway.yaml'), join(context, 'deploy/gateway.yaml'))
}

/**
 * Builds the image and saves it as an archive that podman loads.
 * @param folder for everything that is made
 * @returns path of the archive
 */
export function buildImage(folder: string, name: string): string {
  const context = join(folder, 'context')
  firstStage(context)
  const [, , stage = ''] = readFileSync(join(deployFolder, 'Dockerfile'), 'utf8').split(
    /^FROM .*$/m,
  )
  const file = join(folder, 'Dockerfile')
  writeFileSync(file, `FROM scratch\n${stage.replaceAll('--from=build ', '')}`)
  const storage = ['--root', join(folder, 'storage'), '--runroot', join(folder, 'run')]
  const buildah = [debianProgram('buildah', 'buildah'), ...storage, '--storage-driver', 'vfs']
  const [program = '', ...words] = buildah
  const built = [
    'bud',
    '--isolation',
    'chroot',
    '--format',
    'docker',
    '--file',
    file,
    '--tag',
    name,
  ]
  run(program, [...words, ...built, '--quiet', context])
  const archive = join(folder, 'image.tar')
  run(program, [...words, 'push', '--quiet', name, `docker-archive:${archive}:${name}`])
  return archive
}
