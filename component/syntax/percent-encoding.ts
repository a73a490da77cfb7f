/** Percent-encoding of text that is data in a URL (RFC 3986 §2.1). */

/** The text with all but the unreserved characters (RFC 3986 §2.3) as escapes. @throws URIError for lone surrogates */
export const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
