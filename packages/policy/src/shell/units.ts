import { findDataArguments } from './data-arguments.ts'
import type { Unit } from './effects.ts'
import { showMarked } from './marks.ts'

import { withoutGlobals } from './sub-command.ts'
import type { Command, Script, SimpleCommand, Span } from './syntax.ts'

const MAX_PART_CHARS = 300

/** Shortens a piece of a command for messages. */
const shorten = (text: string): string => {
  const line = text.trim()
  return line.length > MAX_PART_CHARS ? `${line.slice(0, MAX_PART_CHARS - 1)}…` : line
}

/** A text that could not be parsed as shell: all of it counts. */
export const unitOfText = (text: string): Unit => ({
  texts: [{ text: showMarked(text), inert: [] }],
  part: shorten(text),
})

/** A program that another program runs. */
export const unitOfCall = (argv: readonly string[]): Unit => ({
  texts: textsOf(argv),
  part: shorten(showMarked(argv.join(' '))),
})

/** A command before expansion. The parts of a compound command are judged separately. */
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

/**
 * The commands of a script with the operators between them, for patterns that span several
 * commands.
 */
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

/** A simple command after expansion, as written, and with its assignments. */
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

/** An argument vector as text, with and without the options before its sub-command. */
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

/** The ranges of words that are only data; the whole text if the call changes nothing. */
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

/** Programs with a dry-run mode, and the word that requests it. */
const DRY: readonly [RegExp, RegExp][] = [
  [/^(git|npm|pnpm|yarn|bun|cargo|helm|rsync|lerna|twine|poetry|uv|brew|gem)$/, /^--dry-run$/],
  [/^(kubectl|oc)$/, /^--dry-run(=(client|server))?$/],
  [/^(aws|s3cmd|rclone)$/, /^(--dryrun|--dry-run)$/],
  [/^(apt|apt-get)$/, /^(-s|--simulate|--dry-run|--just-print|--no-act)$/],
  [/^(pulumi)$/, /^--preview-only$/],
]

const HELPS_BY_LETTER =
  /^(kubectl|oc|helm|gh|cargo|npm|docker|aws|gcloud|terraform|tofu|git|pulumi|fly|flyctl|heroku)$/

/** Returns whether a call changes nothing because it asks for help or for a dry run. */
const isRehearsal = (argv: readonly string[]): boolean => {
  const [program = '', ...args] = argv
  const end = args.indexOf('--')
  const options = end === -1 ? args : args.slice(0, end)
  const last = end === -1 ? args.at(-1) : undefined
  if (last === '--help' || last === '--version') return true
  if ((last === '-h' || last === '-help') && HELPS_BY_LETTER.test(program)) return true
  return DRY.some(([name, word]) => name.test(program) && options.some((arg) => word.test(arg)))
}
