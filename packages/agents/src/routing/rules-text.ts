/** The routing rules of spec 3, as data. */
export const RULES_TEXT = `
rules:
  - id: default
    level: 99
    answer: { system: built-in, type: general-purpose }
    why: nothing in it asks for a special agent
`
