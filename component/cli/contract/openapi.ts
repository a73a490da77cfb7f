/** `openapi`: a version of an API Specification as OpenAPI, on standard output. */
import { existsSync } from 'node:fs'
import { AdminClient } from '#component/cli/admin-client.ts'
import {
  CommandError,
  exitCode,
  type Invocation,
  type Result,
  type Run,
} from '#component/cli/command.ts'
import { pretty } from '#component/cli/format.ts'
import { readSource } from '#component/cli/source-file.ts'
import { compileOptions } from '#component/cli/validate.ts'
import { yamlText } from '#component/codec/yaml-text.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { readConfig } from '#component/config/config.ts'
import type { DescribedVersion } from '#component/gateway/api.ts'
import { describing } from '#component/openapi/document.ts'
import { withoutInternals } from '#component/openapi/public-view.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { runAtOnce } from '#component/yielding.ts'

/** `openapi`: the description. Of an id, the running gateway makes it. */
export const describe: Run = async (invocation) => {
  const [name = ''] = invocation.positionals
  const isFile = /\.(json|ya?ml)$/i.test(name) || existsSync(name)
  return isFile ? describeFile(name, invocation) : describeId(name, invocation)
}

function describeFile(file: string, invocation: Invocation): Result {
  const source = readSource(file)
  const { environment } = invocation
  const { api, issues } = compileDocument(source.document, compileOptions(environment))
  const findings = source.findings('error', issues)
  if (api === undefined)
    return { value: { issues }, text: '', told: findings, code: exitCode.findings }
  const { gateway } = readConfig(undefined, environment)
  const serverBase = gateway.public_base_url ?? ''
  const described = versionOf(api.versions, invocation.option('version'))
  const isInternal = invocation.isSet('internal')
  const baseUrl = serverBase || `http://${gateway.listen}`
  return printed(runAtOnce(describing(described, { baseUrl, serverBase, isInternal })), invocation)
}

/** @throws CommandError where no version is meant */
function versionOf(
  versions: readonly DescribedVersion[],
  wanted: string | undefined,
): DescribedVersion {
  const labels = versions.map(({ version }) => version.label)
  const [only, ...others] =
    wanted === undefined ? versions : versions.filter(({ version }) => version.label === wanted)
  if (only && others.length === 0) return only
  const found = wanted === undefined ? '' : `; found "${wanted}"`
  const list = labels.length === 0 ? 'there is no active version' : `one of ${labels.join(', ')}`
  throw new CommandError(exitCode.usage, `--version: expected ${list}${found}`)
}

async function describeId(id: string, invocation: Invocation): Promise<Result> {
  const version = invocation.option('version')
  const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`
  const path = `/api_specs/${encodeURIComponent(id)}/openapi${query}`
  const { body } = await new AdminClient(invocation).request('GET', path)
  const description = body as JsonMap
  return printed(
    invocation.isSet('internal') ? description : withoutInternals(description),
    invocation,
  )
}

const printed = (description: JsonMap, invocation: Invocation): Result => ({
  value: description,
  text: invocation.isSet('yaml') ? yamlText(description) : `${pretty(description)}\n`,
})
