/** The key of the gateways that tests start on one router. */

/** Options by dotted key, with the key where they need one: beside `wamp.url`. */
export const withClusterKey = (
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  'wamp.url' in settings ? { 'cluster.key': 'known to the tests alone', ...settings } : settings
