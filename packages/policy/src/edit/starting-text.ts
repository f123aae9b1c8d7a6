import { DEFAULT_POLICY } from '../policy/default-policy-text.ts'

const HEAD = `# What the guards refuse (deny), ask about (ask) and only note (alert).
#
# bash: patterns are regular expressions, looked for in each part of a command.
#   trusted  clears the other three for that part     blocked  deny
#   confirm  ask                                      alert    goes on and is logged
# paths: ~ is your home, * anything but a slash, ** anything, ! in front an exception.
#   zeroAccess     deny everything      alertAccess   log everything    confirmAccess  ask
#   readOnly       deny writing         confirmWrite  ask before it     noDelete       deny deleting
# shadow: true on a pattern, or its name in a list \`shadow:\` up here, only counts what it would do.
#
# It holds from the next tool call on. Try it: steward security try --input 'git push --force'

`

/** The text that the first change starts from: the built-in policy with explanations. */
export const STARTING_POLICY: string = `${HEAD}${DEFAULT_POLICY}`
