/** JSON Schemas of Kubernetes' objects for kubeconform, made from the OpenAPI documents of a Go module: no other download. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kubernetesOpenApi } from './tools.ts'

/** Groups of the objects that the chart makes; the path of their OpenAPI document. */
const groups = ['api/v1', 'apis/apps/v1', 'apis/policy/v1', 'apis/networking.k8s.io/v1']

type Schema = { readonly [member: string]: unknown }

interface GroupKind {
  readonly kind: string
  readonly version: string
}

/** Closes every object to unknown members, and points references at `definitions`. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, member]): [string, unknown] =>
    key === '$ref' && typeof member === 'string'
      ? [key, member.replace('#/components/schemas/', '#/definitions/')]
      : [key, strict(member)],
  )
  const made = Object.fromEntries(entries)
  const isClosed = 'properties' in made && !('additionalProperties' in made)
  return isClosed ? { ...made, additionalProperties: false } : made
}

/** Writes one file for each kind into a folder; the pattern of their paths, as `-schema-location` takes it. */
export function writeSchemas(folder: string, version: string): string {
  mkdirSync(folder, { recursive: true })
  for (const group of groups) {
    const file = join(kubernetesOpenApi(version), `${group}.json`)
    const page = JSON.parse(readFileSync(file, 'utf8'))
    const all: Readonly<Record<string, Schema>> = page.components.schemas
    const definitions = strict(all)
    for (const [name, schema] of Object.entries(all)) {
      const kinds = (schema['x-kubernetes-group-version-kind'] ?? []) as readonly GroupKind[]
      for (const { kind } of kinds.length === 1 ? kinds : []) {
        const whole = { $ref: `#/definitions/${name}`, definitions }
        writeFileSync(join(folder, `${kind.toLowerCase()}.json`), JSON.stringify(whole))
      }
    }
  }
  return join(folder, '{{ .ResourceKind }}.json')
}
