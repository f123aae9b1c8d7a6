import { findDataArguments } from './data-arguments.ts'
import type { Unit } from './effects.ts'
import { showMarked } from './marks.ts'

import { withoutGlobals } from './sub-command.ts'
import type { Command, Script, SimpleCommand, Span } from './syntax.ts'

const MAX_PART_CHARS = 300

/** A piece of a command for people to read. */
const shorten = (text: string): string => {
  const line = text.trim()
  return line.length > MAX_PART_CHARS ? `${line.slice(0, MAX_PART_CHARS - 1)}…` : line
}

/** A text that could not be read as a shell would: all of it counts. */
export const unitOfText = (text: string): Unit => ({
  texts: [{ text: showMarked(text), inert: [] }],
  part: shorten(text),
})

/** A program that another one was asked to run. */
export const unitOfCall = (argv: readonly string[]): Unit => ({
  texts: textsOf(argv),
  part: shorten(showMarked(argv.join(' '))),
})

/** A command before it is looked into. What a compound is made of is judged piece by piece. */
export const unitOfCommand = (command: Command, script: Script): Unit => {
  const text = script.source.slice(command.start, command.end)
  const inert =
    command.kind === 'pipeline'
      ? command.commands.map(({ start, end }) => ({
          start: start - command.start,
          end: end - command.start,
        }))
      : [{ start: 0, end: text.length }]
  return { texts: [{ text, inert }], part: shorten(text) }
}

/** The commands of a script and what joins them, for patterns that span several. */
export const unitOfScript = (script: Script): Unit => {
  let text = ''
  const inert: Span[] = []
  for (const { command, connector } of script.items) {
    const start = text.length
    text += script.source.slice(command.start, command.end)
    inert.push({ start, end: text.length })
    text += connector === ';' ? '; ' : ` ${connector} `
  }
  return { texts: [{ text, inert }], part: shorten(text) }
}

/** A simple command as it would run, as it is written, and with its assignments in front. */
export const textsOfSimple = (
  command: SimpleCommand,
  script: Script,
  argvs: readonly (readonly string[])[],
): Unit['texts'] => {
  const source = (word: Span) =>
    showMarked(script.source.slice(word.start, word.end).replace(/\\\n/g, ''))
  const words = command.words.map((word) => source(word).replace(/['"]/g, ''))
  const redirects = command.redirects.map(({ operator, target }) => `${operator} ${source(target)}`)
  const raw = [...command.assignments, ...command.words].map(source).join(' ')
  const offset = raw.length - command.words.map(source).join(' ').length
  return [
    ...argvs.flatMap((argv) => textsOf(argv, redirects)),
    ...textsOf(words, redirects),
    { text: raw, inert: inertOf(command.words.map(source), words, offset) },
  ]
}

/** An argument vector as text, with and without what the program takes before its sub-command. */
const textsOf = (argv: readonly string[], redirects: readonly string[] = []): Unit['texts'] => {
  const [program = '', ...args] = argv
  const whole = [program.split('/').at(-1) ?? program, ...args]
  const tail = redirects.length === 0 ? '' : ` ${redirects.join(' ')}`
  const plain = withoutGlobals(whole)
  return (plain === undefined ? [whole] : [whole, plain]).map((words) => {
    const shown = words.map(showMarked)
    return { text: shown.join(' ') + tail, inert: inertOf(shown, words, 0) }
  })
}

/** Where the words that are only data stand in the text; all of it where nothing would be done. */
const inertOf = (shown: readonly string[], argv: readonly string[], offset: number): Span[] => {
  if (isRehearsal(argv)) return [{ start: 0, end: offset + shown.join(' ').length }]
  const data = findDataArguments(argv)
  let at = offset
  return shown.flatMap((word, n) => {
    const start = at
    at += word.length + 1
    return data.has(n) ? [{ start, end: start + word.length }] : []
  })
}

/** Programs that only say what they would do when asked to, and the word that asks them. */
const DRY: readonly [RegExp, RegExp][] = [
  [/^(git|npm|pnpm|yarn|bun|cargo|helm|rsync|lerna|twine|poetry|uv|brew|gem)$/, /^--dry-run$/],
  [/^(kubectl|oc)$/, /^--dry-run(=(client|server))?$/],
  [/^(aws|s3cmd|rclone)$/, /^(--dryrun|--dry-run)$/],
  [/^(apt|apt-get)$/, /^(-s|--simulate|--dry-run|--just-print|--no-act)$/],
  [/^(pulumi)$/, /^--preview-only$/],
]

const HELPS_BY_LETTER =
  /^(kubectl|oc|helm|gh|cargo|npm|docker|aws|gcloud|terraform|tofu|git|pulumi|fly|flyctl|heroku)$/

/** Whether a call changes nothing: it asks for help, or for what would be done. */
const isRehearsal = (argv: readonly string[]): boolean => {
  const [program = '', ...args] = argv
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  const last = end === -1 ? args.at(-1) : undefined
  if (last === '--help' || last === '--version') return true
  if ((last === '-h' || last === '-help') && HELPS_BY_LETTER.test(program)) return true
  return DRY.some(([name, word]) => name.test(program) && options.some((arg) => word.test(arg)))
}
