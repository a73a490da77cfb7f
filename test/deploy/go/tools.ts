/** Tools written in Go, of fixed versions: built once by `go install` from the Go module proxy, and kept in node_modules/.cache. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { go, goCache } from '#test/support/go.ts'

const cache = goCache('deploy-tools')

/** Program to module path and version. */
const tools = {
  helm: ['helm.sh/helm/v3/cmd/helm', 'v3.22.0'],
  kubeconform: ['github.com/yannh/kubeconform/cmd/kubeconform', 'v0.8.0'],
  actionlint: ['github.com/rhysd/actionlint/cmd/actionlint', 'v1.7.12'],
} as const

/** The module that holds the OpenAPI documents of Kubernetes, by version. */
const schemas = 'sigs.k8s.io/kubectl-validate@v0.0.4'

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
