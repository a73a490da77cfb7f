/** The credentials of the scheme Basic (RFC 7617 §2), in UTF-8. @param username without a colon */
export const basicAuthorization = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`

/** Whether a text is a name of such credentials. */
export const isBasicName = (text: string): boolean => /^[^:\p{Cc}]*$/u.test(text)
