/** The topics on the component's realm: an API Specification or a realm was loaded or deleted, kept answers are dropped; what gateways tell each other. */

/** Topics by what they tell. */
export const topics = {
  onLoad: 'service.api_spec.on_load',
  onDelete: 'service.api_spec.on_delete',
  onPurge: 'service.api_spec.on_purge',
  onRealmLoad: 'service.realm.on_load',
  onRealmDelete: 'service.realm.on_delete',
  beat: 'service.registry.beat',
  change: 'service.registry.change',
  usage: 'service.limits.usage',
  watch: 'service.registry.watch',
} as const
