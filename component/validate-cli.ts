/** `npm run validate -- FILE…`: checks API Specifications without a running gateway, with the errors of loading. */
import { readFileSync } from 'node:fs'
import { parseJson } from '#component/codec/json.ts'
import { documentRules } from '#component/codec/limits.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { readConfig } from '#component/config/config.ts'
import { type Issue, ServiceError } from './errors.ts'

function check(file: string): { issues: readonly Issue[]; warnings: readonly Issue[] } {
  try {
    const bytes = readFileSync(file)
    const document = parseJson(bytes, documentRules)
    const { call_timeout } = readConfig(undefined, process.env).wamp
    return compileDocument(document, { callTimeout: call_timeout })
  } catch (cause) {
    if (!(cause instanceof ServiceError) && !(cause instanceof Error && 'code' in cause))
      throw cause
    return { issues: [{ path: '', message: cause.message }], warnings: [] }
  }
}

const show = (kind: string, found: readonly Issue[]) => {
  for (const { path, message } of found) {
    process.stdout.write(
      `  ${kind} ${path || '(document)'}: ${message.replaceAll('\n', '\n    ')}\n`,
    )
  }
}

const files = process.argv.slice(2)
if (files.length === 0) {
  process.stderr.write('usage: npm run validate -- FILE…\n')
  process.exitCode = 64
}
for (const file of files) {
  const { issues, warnings } = check(file)
  process.stdout.write(
    `${file}: ${issues.length === 0 ? 'ok' : `${issues.length} error${issues.length === 1 ? '' : 's'}`}\n`,
  )
  show('error', issues)
  show('warning', warnings)
  if (issues.length > 0) process.exitCode = 1
}
