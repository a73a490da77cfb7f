/** What a new folder is made from, and what it is made of. */
import { join } from 'node:path'
import { programRoot } from '#component/program-root.ts'

/** Files by their paths in the new folder. */
export type Files = ReadonlyMap<string, string>

/** Beside `component`, in a clone and in the published package alike. */
export const examples = join(programRoot, 'examples')
