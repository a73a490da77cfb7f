/** Names within expressions. */

/** A name as an argument of a function: in quotation marks where the language would read it as something else. */
export const quoted = (name: string): string =>
  /^[a-z_][\w-]*$/i.test(name) && !['true', 'false', 'null'].includes(name)
    ? name
    : `'${name.replaceAll("'", "''")}'`
