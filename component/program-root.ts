/** Where this program stands: its files that are read or started by their paths are found from there. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The nearest folder with a manifest: how deep code stands below it differs between sources and the bundle of the published package. */
const rootFrom = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : rootFrom(dirname(folder))

/** The clone, or the folder of the installed package. */
export const programRoot: string = rootFrom(import.meta.dirname)

/** The ending of the program's own modules that are started by their paths: of sources or compiled. */
export const moduleEnding: string = import.meta.filename.endsWith('.ts') ? '.ts' : '.js'
