/** What a load does about examples. */

/** `off`: they are not run. `warn`, `refuse`: those that fail are warnings, or issues. */
export const examplesModes = ['off', 'warn', 'refuse'] as const
export type ExamplesMode = (typeof examplesModes)[number]
