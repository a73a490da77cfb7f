/** The check of options against the schema of the configuration, which adds their defaults. */
import { Ajv2020, type CodeOptions } from 'ajv/dist/2020.js'
import { configSchema } from './config-schema.ts'

/** Makes such checks. @param code how they are written: the published package has the check as code, and compiles none when it starts */
export const compilerOf = (code: CodeOptions): Ajv2020 =>
  new Ajv2020({
    allErrors: true,
    useDefaults: true,
    allowUnionTypes: true,
    strict: false,
    // a test validates the schema itself
    meta: false,
    validateSchema: false,
    code,
  })

/** Whether options are a configuration; its `errors` tell what is wrong. It runs once and need not be fast. */
export const check = compilerOf({ optimize: false }).compile(configSchema)
