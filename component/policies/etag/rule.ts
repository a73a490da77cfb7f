/** The rule of `etag`: whether answers have an ETag, and conditional requests are answered. */
import { boolean, described, dynamic, type Rule } from '#component/spec/rules.ts'

export const etagRule: Rule = dynamic(
  described(
    boolean,
    'Whether answers to GET and HEAD with 200 have an ETag, and If-None-Match is answered with 304.',
    { default: false },
  ),
)
