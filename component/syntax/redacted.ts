/** What stands in place of a secret where something of a request is told. */
export const redacted = '‹redacted›'
