/** The syntax tree of an expression; offsets point into the text of its template. */

/** `path ("|>" function ["(" arguments ")"])*` */
export interface Expression {
  /** At least one key. */
  readonly keys: readonly string[]
  /** Offsets of the path. */
  readonly start: number
  readonly end: number
  readonly pipes: readonly Pipe[]
}

/** One function with its arguments. */
export interface Pipe {
  readonly name: string
  /** Offsets of the name. */
  readonly start: number
  readonly end: number
  readonly arguments: readonly Argument[]
}

/** One argument: a bare word or quoted text, `{{…}}`, `$map`, `_` (merge and equal only), or a list. */
export type Argument = { readonly start: number; readonly end: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'map' }
  | { readonly kind: 'piped' }
  | { readonly kind: 'list'; readonly items: readonly Argument[] }
)

/** A text with expressions in it. */
export interface Template {
  /** Literal texts and expressions in their order; no two texts in a row, no empty text. */
  readonly parts: readonly (string | Expression)[]
  /** One expression and nothing else: its value keeps its type. */
  readonly isLone: boolean
}
