/** The features beyond the basic profile that the router announces in WELCOME. */

/** WELCOME.Details.roles. */
export const features = {
  broker: {
    features: {
      event_retention: true,
      pattern_based_subscription: true,
      publisher_exclusion: true,
      publisher_identification: true,
      session_meta_api: true,
      subscriber_blackwhite_listing: true,
      subscription_meta_api: true,
    },
  },
  dealer: {
    features: {
      call_canceling: true,
      call_timeout: true,
      caller_identification: true,
      pattern_based_registration: true,
      progressive_call_results: true,
      registration_meta_api: true,
      session_meta_api: true,
      shared_registration: true,
    },
  },
} as const
