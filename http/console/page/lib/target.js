/** What an action reaches, as a document says it. */

/**
 * @param {any} action
 * @returns {string} a procedure, a topic, an upstream or a host; empty: nothing
 */
export function targetOf(action) {
  if (typeof action === 'string') return action
  const target = action?.procedure ?? action?.topic ?? action?.upstream ?? action?.host ?? ''
  return typeof target === 'string' ? target : JSON.stringify(target)
}
