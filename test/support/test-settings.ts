/** What the gateways of tests are configured with, unless a test says otherwise. */

/**
 * Options by dotted key, with those that tests share: no load is shed, because the machine may be busy with other tests; and beside `wamp.url` the
 * key of the gateways that tests start on one router.
 */
export const withTestSettings = (
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> => ({
  'limits.load_shedding': 'false',
  ...('wamp.url' in settings && { 'cluster.key': 'known to the tests alone' }),
  ...settings,
})
