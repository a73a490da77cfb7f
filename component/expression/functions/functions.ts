/** The functions that may follow `|>`, by their names (behaviour §2, Functions). */
import { arithmetic } from './arithmetic.ts'
import { choices } from './choices.ts'
import { conversions } from './conversions.ts'
import type { FunctionTable } from './function.ts'
import { items } from './items.ts'
import { lists } from './lists.ts'
import { maps } from './maps.ts'
import { texts } from './texts.ts'

/** Every function by its name; names with a blank cannot be written. */
export const functions: FunctionTable = {
  ...conversions,
  ...arithmetic,
  ...lists,
  ...items,
  ...maps,
  ...choices,
  ...texts,
}

/** The names that can be written after `|>`. */
export const functionNames: readonly string[] = Object.keys(functions).filter(
  (name) => !name.includes(' '),
)
