/** Collects the operations of a version that are tools for language models, and judges them together. */
import { canonicalJson, pointer, stringifyJson } from '#component/codec/json.ts'
import type { DocumentSchemas } from '#component/compile/schemas/document-schemas.ts'
import type { Issue } from '#component/errors.ts'
import type {
  CompiledOperation,
  CompiledTool,
  InheritedValues,
  ToolGroup,
  ToolSet,
} from '#component/gateway/api.ts'
import type { Method } from '#component/request.ts'
import type { ApiSpec, Version } from '#component/spec/model.ts'
import { defaultMaxResultBytes } from '#component/spec/tools/tool-rules.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import { compileTool } from './compile-tool.ts'

/** More tools than this, or characters of their definitions, are worth a warning: each client gives all of them to its model. */
const [manyTools, manyCharacters] = [40, 65_536]
/** Our own limit. */
const mostTools = 512

/** The tools of one version. */
export class VersionTools {
  readonly #spec: Pick<ApiSpec, 'id'>
  readonly #version: Version
  readonly #schemas: DocumentSchemas
  readonly #findings: { readonly issues: Issue[]; readonly warnings: Issue[] }
  readonly #tools = new Map<string, CompiledTool>()

  constructor(
    spec: Pick<ApiSpec, 'id'>,
    version: Version,
    schemas: DocumentSchemas,
    findings: { readonly issues: Issue[]; readonly warnings: Issue[] },
  ) {
    this.#spec = spec
    this.#version = version
    this.#schemas = schemas
    this.#findings = findings
  }

  /** Notes the operations of a path. @param forms of its pattern; empty when it is broken */
  add(
    routes: Readonly<Partial<Record<Method, CompiledOperation>>>,
    forms: readonly KeyedForm[],
  ): void {
    for (const [method, operation] of Object.entries(routes)) {
      if (operation.written.tool !== undefined) this.#add(method as Method, operation, forms)
    }
  }

  #add(method: Method, operation: CompiledOperation, forms: readonly KeyedForm[]): void {
    const { issues, warnings } = this.#findings
    const { base_path, mcp } = this.#version
    const at = pointer(operation.at, 'tool')
    if (mcp === undefined) {
      const message = 'it has no effect without the key mcp of the version'
      warnings.push({ path: at, message })
    }
    const place = { method, operation, forms, base: base_path, at }
    const tool = compileTool(place, this.#schemas, issues)
    if (tool === undefined) return
    const { name } = tool.definition
    const other = this.#tools.get(name)
    if (other === undefined) this.#tools.set(name, tool)
    else {
      const message = `the tool name ${JSON.stringify(name)} is already used by ${pointer(other.at, 'name')}`
      issues.push({ path: pointer(at, 'name'), message })
    }
  }

  /** All of them; undefined where the version has no endpoint. */
  get set(): ToolSet | undefined {
    const { mcp, path, label } = this.#version
    if (typeof mcp?.path !== 'string') return undefined
    const tools = [...this.#tools.values()]
    this.#judge(tools, pointer(path, 'mcp'))
    const { name, instructions, max_result_bytes } = mcp
    return {
      server: { name: typeof name === 'string' ? name : this.#spec.id, version: label },
      instructions: typeof instructions === 'string' ? instructions : undefined,
      maxResultBytes:
        typeof max_result_bytes === 'number' ? max_result_bytes : defaultMaxResultBytes,
      tools,
      byName: this.#tools,
      groups: groupsOf(tools),
      isPublic: tools.every(({ operation }) => isPublic(operation.inherited)),
    }
  }

  #judge(tools: readonly CompiledTool[], path: string): void {
    const { issues, warnings } = this.#findings
    const { length: count } = tools
    if (count === 0) {
      warnings.push({ path, message: 'no operation of the version has the key tool' })
    }
    if (count > mostTools) {
      issues.push({
        path,
        message: `expected at most ${mostTools} tools in a version, got ${count}`,
      })
    }
    const { length } = stringifyJson(tools.map(({ definition }) => definition))
    if (count <= manyTools && length <= manyCharacters) return
    const message = `${count} tools with ${length} characters of definitions: clients give all of them to their models, which choose worse among more than ${manyTools} tools or ${manyCharacters} characters`
    warnings.push({ path, message })
  }
}

const isPublic = ({ protection, allowFrom }: InheritedValues): boolean =>
  protection === undefined && allowFrom === undefined

/** Tools of equal protections together, so that a request is judged once for them. */
function groupsOf(tools: readonly CompiledTool[]): readonly ToolGroup[] {
  const groups = new Map<string, ToolGroup & { readonly tools: CompiledTool[] }>()
  for (const tool of tools) {
    const { protection } = tool.operation.inherited
    const { type, kind, object } = protection ?? {}
    // a service that decides by what is asked for judges each tool
    const apart = kind?.decidesByRequest ? tool.at : ''
    const key = protection ? canonicalJson([type, object, apart]) : ''
    const group = groups.get(key)
    if (group) group.tools.push(tool)
    else groups.set(key, { protection, tools: [tool] })
  }
  return [...groups.values()]
}
