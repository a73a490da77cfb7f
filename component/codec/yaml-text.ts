/** Values as YAML 1.2, written so that readers of YAML 1.1 take them for the same values. */
import { stringify } from 'yaml'

/** Block style; long texts stay on one line. Integers keep every digit. */
export const yamlText = (value: unknown): string =>
  stringify(value, {
    version: '1.2',
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
    lineWidth: 0,
  })
