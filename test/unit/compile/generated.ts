/** The routes that the security of a document generates. */
import type { Route } from '#component/gateway/api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { fixed, serve } from '#test/unit/gateway/fake-exchange.ts'

/** An open path beside them. */
export const open = { '/x': { security: {}, get: fixed() } }

/** The entries of the table. */
export const generated = (document: unknown): readonly RouteEntry<Route>[] =>
  serve(document).api.entries.filter(({ isShared }) => isShared)

/** `METHOD pattern kind` of each. */
export const linesOf = (document: unknown): string[] =>
  generated(document).flatMap(({ pattern, routes }) =>
    Object.entries(routes).map(([method, { kind }]) => `${method} ${pattern} ${kind}`),
  )

/** Title, document, the lines of what it generates. */
export type Row = readonly [title: string, document: object, lines: readonly string[]]
