/** The options of `gateway.cors`: the policy of answers whose specification declares none. */
import { pageOrigin as origin } from '#component/syntax/page-origin.ts'
import { section } from './config-members.ts'
import { array, integer, string, union } from './json-schema.ts'

/** `gateway.cors`. */
export const corsSection = section(
  {
    allow_origin: union(
      [
        string({ pattern: `^(\\*|${origin})?$` }),
        array(string({ pattern: `^${origin}$` }), { minItems: 1 }),
      ],
      {
        default: '*',
        title:
          '"*", "", one origin such as "https://shop.example.com" (lower case, without a path), or a list such as ["https://a.example", "https://b.example"]',
        description:
          '`Access-Control-Allow-Origin`. `*`, one origin such as `https://shop.example.com`, or `""`, which leaves the header out. Of a list of origins the one that asks is named, and `Vary: Origin`.',
      },
    ),
    allow_methods: string({
      default: 'GET,HEAD,PUT,PATCH,POST,DELETE',
      description: '`Access-Control-Allow-Methods`.',
    }),
    allow_headers: string({
      default: 'origin,x-requested-with,content-type,accept,authorization,last-event-id',
      description: '`Access-Control-Allow-Headers`.',
    }),
    max_age: integer({
      default: 86_400,
      minimum: 0,
      description: '`Access-Control-Max-Age`. Seconds.',
    }),
  },
  'The CORS headers of routed paths; what a specification declares replaces them header by header.',
)
