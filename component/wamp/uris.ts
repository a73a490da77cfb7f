/** The topics that the gateway publishes and subscribes to; procedures are named where they are defined, errors in component/errors.ts. */

/** URIs by what they name. */
export const uris = {
  /**
   * Topics on the component's realm: an API Specification or a realm was loaded or deleted; what a gateway says of itself,
   * and of what only gateways know.
   */
  topics: {
    onLoad: 'service.api_spec.on_load',
    onDelete: 'service.api_spec.on_delete',
    onRealmLoad: 'service.realm.on_load',
    onRealmDelete: 'service.realm.on_delete',
    beat: 'service.registry.beat',
    change: 'service.registry.change',
  },
} as const
