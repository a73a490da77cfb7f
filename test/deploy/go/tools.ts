/** Tools written in Go, of fixed versions: built once by `go install` from the Go module proxy, and kept in node_modules/.cache. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { deployFolder } from '#test/deploy/programs.ts'

const cache = join(deployFolder, '../node_modules/.cache/deploy-tools')

/** Program to module path and version. */
const tools = {
  helm: ['helm.sh/helm/v3/cmd/helm', 'v3.22.0'],
  kubeconform: ['github.com/yannh/kubeconform/cmd/kubeconform', 'v0.8.0'],
  actionlint: ['github.com/rhysd/actionlint/cmd/actionlint', 'v1.7.12'],
} as const

/** The module that holds the OpenAPI documents of Kubernetes, by version. */
const schemas = 'sigs.k8s.io/kubectl-validate@v0.0.4'

/** Runs Go. @throws Error that says what to install when it is missing */
function go(words: readonly string[], environment = {}): string {
  const env = { ...process.env, CGO_ENABLED: '0', ...environment }
  try {
    return execFileSync('go', words, {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
    throw new Error('no go here: install Go 1.25 or later (https://go.dev/dl)', { cause })
  }
}

/** The path of a tool; the first call builds it, which takes helm some minutes. */
export function goTool(name: keyof typeof tools): string {
  const [module, version] = tools[name]
  const folder = join(cache, `${name}-${version}`)
  const program = join(folder, name)
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true })
    go(['install', `${module}@${version}`], { GOBIN: folder })
  }
  return program
}

/** The folder of the OpenAPI documents of a version of Kubernetes. */
export function kubernetesOpenApi(version: string): string {
  const { Dir } = JSON.parse(go(['mod', 'download', '-json', schemas])) as { readonly Dir: string }
  return join(Dir, 'pkg/openapiclient/builtins', version)
}
