/** JSON Schemas that carry the TypeScript type of what they allow, so that an option is written once. */

/** A schema of `T`: plain JSON Schema (draft 2020-12); the type is known to the compiler only. */
export interface Schema<T> {
  readonly [keyword: string]: unknown
  readonly '~allows'?: T
}

/** A member of an object that may be absent. */
export interface OptionalSchema<T> extends Schema<T> {
  readonly [optional]: true
}

/** The type of the values that a schema allows. */
export type Allowed<S> = S extends Schema<infer T> ? T : never

/** The members of an object by their names. */
export type Members = Readonly<Record<string, Schema<unknown>>>

type ObjectOf<M extends Members> = {
  [K in keyof M as M[K] extends OptionalSchema<unknown> ? never : K]: Allowed<M[K]>
} & {
  [K in keyof M as M[K] extends OptionalSchema<unknown> ? K : never]?: Allowed<M[K]>
}

/** Keywords beside those that make the type, such as `default` and `description`. */
type Keywords = Readonly<Record<string, unknown>>

/** No keyword: no JSON shows it. */
const optional = Symbol('optional')

export const boolean = (keywords?: Keywords): Schema<boolean> => ({ type: 'boolean', ...keywords })

export const integer = (keywords?: Keywords): Schema<number> => ({ type: 'integer', ...keywords })

export const number = (keywords?: Keywords): Schema<number> => ({ type: 'number', ...keywords })

export const string = (keywords?: Keywords): Schema<string> => ({ type: 'string', ...keywords })

/** This text, and no other. */
export const literal = <T extends string>(value: T): Schema<T> => ({ type: 'string', const: value })

export const array = <T>(items: Schema<T>, keywords?: Keywords): Schema<T[]> => ({
  type: 'array',
  items,
  ...keywords,
})

export const union = <S extends readonly Schema<unknown>[]>(
  anyOf: readonly [...S],
  keywords?: Keywords,
): Schema<Allowed<S[number]>> => ({ anyOf, ...keywords })

/** Any name to a value. */
export const map = <T>(value: Schema<T>, keywords?: Keywords): Schema<Record<string, T>> => ({
  type: 'object',
  patternProperties: { '^.*$': value },
  ...keywords,
})

/** An object of these members only. */
export function object<M extends Members>(properties: M, keywords?: Keywords): Schema<ObjectOf<M>> {
  const required = Object.keys(properties).filter((name) => !(optional in (properties[name] ?? {})))
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties,
    additionalProperties: false,
    ...keywords,
  }
}

/** An object of these members only, or a list. */
export const objectOrList = <M extends Members, T>(
  properties: M,
  items: Schema<T>,
  keywords?: Keywords,
): Schema<ObjectOf<M> | T[]> => ({
  ...object(properties),
  ...{ type: ['object', 'array'], items, minItems: 1 },
  ...keywords,
})

/** Makes a member of an object one that may be absent. */
export const mayBeAbsent = <T>(schema: Schema<T>): OptionalSchema<T> => ({
  ...schema,
  [optional]: true,
})
