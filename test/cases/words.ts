/** Words that texts for users do not use, and the words of the field that stand in their place. */

/** A word that is not used. */
export interface OldWord {
  readonly old: RegExp
  readonly now: string
  /** A text that has the word. */
  readonly sample: string
}

const word = (old: string, now: string, sample: string): OldWord => ({
  old: new RegExp(`\\b(?:${old})\\b`, 'i'),
  now,
  sample,
})

/** The table of words. */
export const oldWords: readonly OldWord[] = [
  word('(?:un)?answer(?:s|ed|ing)?', 'response; responds, returns, gets, is served', 'every request is answered with 503'),
  word('kept (?:responses?|cop(?:y|ies))', 'cached response', 'a kept response'),
  word('lets? (?:\\S+ ){0,5}pass', 'accepts', 'whom the ticket lets pass'),
  word('(?:actions?|loads?|calls?|it|they|what) (?:comes?|came) to', 'the outcome of', 'what the action comes to'),
  word('comes? to (?:nothing|a list|one result)', 'has no effect; returns', 'when the load comes to nothing'),
  word('(?:half|\\d+ ?%,?) and 9\\d ?%|99 ?% (?:within|of|are)', 'p50, p95, p99', 'half and 99 % of the calls end'),
  word('send really', 'Send', 'Send really'),
  word('look again', 'Refresh', 'Look again'),
  word('owed to', 'caused by', 'the failure is owed to the request'),
  word('as ever', 'as usual', 'served as ever'),
  word('in hand', 'in progress', 'too many requests are in hand'),
  word('judg(?:e|es|ed|ing)', 'checks; is reviewed', 'the router judges the grants'),
  word('anew', 'again', 'made anew'),
  word('mend(?:s|ed)?', 'fix', 'mend the file'),
  word('errs', 'is at fault', 'the client errs'),
  word('hears?', 'receives', 'a node that hears nothing'),
  word('farewell', 'notice', 'ends without a farewell'),
  word('worst off', 'with the worst value', 'the process that is worst off'),
  word('asks? nobody', 'calls nothing', 'a trace asks nobody'),
  word('without a word', 'silently', 'the session ends without a word'),
  word('and responses (?:\\d{3}|the|an?)|(?:may|can|cannot|will|to|they|who|procedures|services|nodes) response', 'returns; serves; respond', 'the path calls a procedure, and responses 503'),
]
