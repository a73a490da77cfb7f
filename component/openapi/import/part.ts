/** The part of an OpenAPI document that is imported. */
import { memberOf } from '#component/syntax/values.ts'

/** What a person wants of a document; empty lists: all of it. */
export interface Part {
  /** Path templates: `*` is any text within a segment, `/**` any segments or none. */
  readonly globs: readonly string[]
  /** An operation has one of them. */
  readonly tags: readonly string[]
}

/** Whether a part is less than the whole. */
export const isLess = ({ globs, tags }: Part): boolean => globs.length + tags.length > 0

/** Whether the path of a template is wanted. */
export const hasPath = ({ globs }: Part, template: string): boolean =>
  globs.length === 0 || globs.some((glob) => expressionOf(glob).test(template))

/** Whether an operation is wanted. */
export function hasOperation({ tags }: Part, operation: unknown): boolean {
  const found = memberOf(operation, 'tags')
  return tags.length === 0 || (Array.isArray(found) && tags.some((tag) => found.includes(tag)))
}

const meanings: Readonly<Record<string, string>> = { '/**': '(?:/.*)?', '**': '.*', '*': '[^/]*' }

const expressionOf = (glob: string): RegExp =>
  new RegExp(
    `^${glob
      .split(/(\/\*\*|\*\*|\*)/)
      .map((text) => meanings[text] ?? text.replaceAll(/[^\w/]/g, '\\$&'))
      .join('')}$`,
    's',
  )
