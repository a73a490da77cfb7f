/** The options of `gateway.cors`: the policy of answers whose specification declares none. */
import { section } from './config-members.ts'
import { array, integer, string, union } from './json-schema.ts'

/** `gateway.cors`. */
export const corsSection = section(
  {
    allow_origin: union(
      [string(), array(string({ pattern: '^https?://[a-z0-9.\\-_\\[\\]:]+$' }), { minItems: 1 })],
      {
        default: '*',
        description:
          '`Access-Control-Allow-Origin`. Of a list of origins, such as `https://shop.example.com`, the one that asks is answered, and `Vary: Origin`.',
      },
    ),
    allow_methods: string({
      default: 'GET,HEAD,PUT,PATCH,POST,DELETE',
      description: '`Access-Control-Allow-Methods`.',
    }),
    allow_headers: string({
      default: 'origin,x-requested-with,content-type,accept,authorization',
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
