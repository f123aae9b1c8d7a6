/** Words that mean the same, by set. */
export const WORDS_TEXT = `
words:
  agent: [agent, subagent]
`
