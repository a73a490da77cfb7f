/** What the router announces in WELCOME: features beyond the basic profile, and that it passes trace contexts on. */
import { traceAnnouncement } from '#component/telemetry/wamp-context.ts'

const roles = {
  broker: {
    features: {
      event_retention: true,
      pattern_based_subscription: true,
      publisher_exclusion: true,
      publisher_identification: true,
      session_meta_api: true,
      subscriber_blackwhite_listing: true,
      subscription_meta_api: true,
      subscription_revocation: true,
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
      registration_revocation: true,
      session_meta_api: true,
      shared_registration: true,
    },
  },
} as const

/** Of WELCOME.Details. */
export const announced = { roles, [traceAnnouncement]: true }
