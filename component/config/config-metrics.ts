/** The section `metrics` of the configuration: labels and number of the series at /metrics. */
import { section } from './config-members.ts'
import { boolean, integer } from './json-schema.ts'

/** Members of `metrics`. */
export const metricsSection = section(
  {
    api_label: boolean({
      default: true,
      description:
        'Whether metrics have the labels `api` (the id of the API Specification) and `version`. false: the numbers of all documents are one, by route, procedure and so on.',
    }),
    max_series: integer({
      default: 20_000,
      minimum: 100,
      maximum: 1_000_000,
      description:
        'Sets of label values that are counted apart, in each process; a histogram is one. Further routes, procedures, topics and upstreams are counted together: their label is `_other`, and `gateway_metrics_overflow_total` says how often. These take at most an eighth more; then `api` and `version` are `_other`, too.',
    }),
  },
  'Metrics, at `/metrics`.',
)
