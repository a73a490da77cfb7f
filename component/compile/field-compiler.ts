/** How a field of an action is compiled further than any value. */
import type { ActionKind, FieldForm } from '#component/action/kind.ts'
import type { Members, Node } from '#component/expression/compile.ts'
import type { PathReading } from '#component/gateway/api.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import type { Findings } from './fold-check.ts'

/** Where a field stands. */
export interface FieldPlace {
  readonly name: string
  /** JSON Pointer of the field. */
  readonly path: string
  readonly kind: ActionKind
  readonly action: Members
  /** The forms of the operation's path; empty when it is broken. */
  readonly forms: readonly KeyedForm[]
  readonly reading: PathReading
}

/** Compiles a field. */
export type FieldCompiler = (node: Node, place: FieldPlace, findings: Findings) => Node

/** The compilers of some forms. */
export type FieldCompilers = Readonly<Partial<Record<FieldForm, FieldCompiler>>>
