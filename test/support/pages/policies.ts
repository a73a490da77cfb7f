/** The API Specification of docs/policies.md: its first block of JSON. */
import { readFileSync } from 'node:fs'

const page = new URL('../../../docs/policies.md', import.meta.url)

export function policiesDocument(): object {
  const [, json = ''] = /```json\n(.*?)```/s.exec(readFileSync(page, 'utf8')) ?? []
  return JSON.parse(json)
}
